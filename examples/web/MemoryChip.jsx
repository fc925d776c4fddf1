import { useCallback, useState } from "react";

/** What memory changed in the last turn, as `GET /memory/turns` tells it. */
async function lastChange(server, who, headers) {
  const answer = await fetch(`${server}/memory/turns?${who}&limit=1`, { headers });
  const [turn] = answer.ok ? (await answer.json()).turns : [];
  const changed = (turn?.entries ?? []).filter((entry) =>
    entry.decisions.some((each) => each.kind === "fact" && !["skip", "verify"].includes(each.action)),
  );
  const lines = changed.flatMap((entry) =>
    entry.decisions.map((each) => each.after?.statement ?? each.before?.statement).filter(Boolean),
  );
  return changed.length ? { entries: changed.map((entry) => entry.id), lines } : null;
}

/**
 * State for the chip: pass `onCustomEvent` and `onFinish` to `useStream`.
 *
 * `headers` say who is signed in; without auth, `user` names them.
 */
export function useMemoryChip({ server, user, headers }) {
  const who = user ? `user=${encodeURIComponent(user)}` : "";
  const [change, setChange] = useState(null);
  const [isTouched, setTouched] = useState(false);
  const onCustomEvent = useCallback((event) => {
    if (/^memory\.(create|update|retract)$/.test(event?.event)) setTouched(true);
  }, []);
  const onFinish = useCallback(async () => {
    setChange(await lastChange(server, who, headers));
    setTouched(false);
  }, [server, who, headers]);
  const undo = useCallback(async () => {
    for (const entry of change.entries) {
      const done = await fetch(`${server}/memory/undo?${who}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ entry }),
      });
      if (!done.ok) return setChange({ ...change, problem: (await done.json()).detail });
    }
    setChange(null);
  }, [server, who, headers, change]);
  return { change, isTouched, undo, onCustomEvent, onFinish };
}

export function MemoryChip({ change, isTouched, undo }) {
  if (isTouched) return <p className="chip" role="status">Remembering…</p>;
  if (!change) return null;
  return (
    <p className="chip" role="status" title={change.lines.join("\n")}>
      Memory updated: {change.lines[0]} · {change.problem ?? <button onClick={undo}>undo</button>}
    </p>
  );
}
