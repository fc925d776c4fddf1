"""`settings`: every setting, what it means and its default, as a `.env` file."""

from argparse import Namespace

from memory_graph.cli.presenter import Presenter
from memory_graph.settings import describe_settings


async def run(args: Namespace, show: Presenter) -> int:
    """Print the contents of `.env.example`."""
    show.piece(describe_settings())
    return 0
