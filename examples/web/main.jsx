import { useStream } from "@langchain/langgraph-sdk/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { MemoryChip, useMemoryChip } from "./MemoryChip.jsx";

const asked = new URLSearchParams(location.search);
const server = asked.get("server") ?? "http://localhost:2024";
// With auth the token says who it is; `langgraph dev` without auth trusts the name it is sent.
const token = asked.get("token");
const user = token ? undefined : (asked.get("user") ?? "ana");
const headers = token ? { authorization: `Bearer ${token}` } : {};

function Chat() {
  const [text, setText] = useState("");
  const [threadId, setThreadId] = useState(null);
  const memory = useMemoryChip({ server, user, headers });
  const thread = useStream({
    apiUrl: server,
    assistantId: "memory_graph",
    threadId,
    onThreadId: setThreadId,
    messagesKey: "messages",
    fetchStateHistory: { limit: 50 },
    defaultHeaders: headers,
    onCustomEvent: memory.onCustomEvent,
    onFinish: memory.onFinish,
  });
  const send = (event) => {
    event.preventDefault();
    const message = { type: "human", content: text };
    thread.submit({ messages: [message] }, { context: user ? { user_id: user } : {}, streamMode: ["custom", "values"] });
    setText("");
  };
  return (
    <>
      <h1>Chat with memory</h1>
      {thread.messages.map((each) => (
        <p key={each.id} className={each.type}>{String(each.content)}</p>
      ))}
      {thread.error ? <p role="alert">{String(thread.error.message ?? thread.error)}</p> : null}
      <MemoryChip {...memory} />
      <form onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button disabled={thread.isLoading}>Send</button>
      </form>
    </>
  );
}

createRoot(document.getElementById("root")).render(<Chat />);
