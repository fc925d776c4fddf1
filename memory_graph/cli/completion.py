"""`completion`: print a script with which a shell completes commands and options."""

from argparse import ArgumentParser, Namespace

from memory_graph.cli.output import Presenter
from memory_graph.cli.parser import COMMANDS as ALL
from memory_graph.cli.parser import DISTRIBUTION, PROGRAM, Group, build_parser, set_run
from memory_graph.errors import ConfigurationError

_HOW = f"""To switch it on:
  eval "$({PROGRAM} completion bash)"      # in ~/.bashrc
  {PROGRAM} completion zsh > "${{fpath[1]}}/_{PROGRAM}"
"""


def define_completion(command: ArgumentParser) -> None:
    """Add the arguments of `completion`."""
    set_run(command, run_completion)
    command.description = f"{command.description} {_HOW}"
    command.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="your shell")


async def run_completion(args: Namespace, show: Presenter) -> int:
    """Print the script.

    Raises:
        ConfigurationError: If what writes it is not installed.
    """
    try:
        import shtab  # noqa: PLC0415 — an extra
    except ImportError as error:
        raise ConfigurationError(
            f"Completion needs an extra: pip install '{DISTRIBUTION}[cli]'."
        ) from error
    parser = build_parser([each.name for each in ALL])
    show.piece(f"{shtab.complete(parser, shell=args.shell)}\n")
    return 0


COMMANDS: Group = {"completion": define_completion}
