// Makes the pages a little quicker to use; everything works without it.
document.documentElement.classList.add("scripted");
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  if (!navigator.clipboard) { // not over plain HTTP: select it, so that one key copies it
    getSelection().selectAllChildren(source);
    return;
  }
  await navigator.clipboard.writeText(source.textContent);
  const before = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = before; }, 1500);
});
