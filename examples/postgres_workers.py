"""One Postgres, several workers: everybody's turns are kept, whichever worker serves them.

Run: python examples/postgres_workers.py postgresql://user:password@host/database
"""

import asyncio
import sys
from multiprocessing import get_context

from langchain_core.messages import HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres.aio import AsyncPostgresStore

from memory_graph import Context, build_graph

SAID = ["My cat Luna is 3.", "I live in Lisbon."]


async def serve(address: str, *texts: str) -> None:
    """Answer messages, as one worker does."""
    async with (
        AsyncPostgresStore.from_conn_string(address) as store,
        AsyncPostgresSaver.from_conn_string(address) as checkpointer,
    ):
        graph = build_graph(store=store, checkpointer=checkpointer)
        for text in texts:
            result = await graph.ainvoke(
                {"messages": [HumanMessage(text)]},
                {"configurable": {"thread_id": text}},
                context=Context(user_id="ana"),
            )
            print(f"you: {text}\nbot: {result['messages'][-1].text}")


async def set_up(address: str) -> None:
    """Create the tables, once per deployment."""
    async with AsyncPostgresStore.from_conn_string(address) as store:
        await store.setup()
    async with AsyncPostgresSaver.from_conn_string(address) as checkpointer:
        await checkpointer.setup()


def work(address: str, text: str) -> None:
    """Run one worker in a process of its own."""
    asyncio.run(serve(address, text))


def main(address: str) -> None:
    """Let each worker hear one thing, then ask about all of it."""
    asyncio.run(set_up(address))
    spawn = get_context("spawn")
    workers = [spawn.Process(target=work, args=(address, text)) for text in SAID]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    asyncio.run(serve(address, "How old is Luna?", "Where do I live?"))


if __name__ == "__main__":
    main(sys.argv[1]) if len(sys.argv) > 1 else sys.exit(__doc__)
