"""Print a script that completes `cinder-scene` in a shell.

Use: `eval "$(cinder-scene completion bash)"`, likewise for zsh; for fish
`cinder-scene completion fish | source`.
"""

from __future__ import annotations

import argparse

HELP = "print a completion script for bash, zsh or fish"

_BASH = """_cinder_scene() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _cinder_scene cinder-scene
"""
_SCRIPTS = {
    "bash": _BASH,
    "fish": """complete -c cinder-scene -n __fish_use_subcommand -f -a "{commands}"
""",
    "zsh": "autoload -U +X bashcompinit && bashcompinit\n" + _BASH,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=sorted(_SCRIPTS))


def run(arguments: argparse.Namespace) -> int:
    """Print the script of one shell."""
    # Imported late: the list of commands holds this one.
    from engine.cli.scene import COMMANDS

    print(_SCRIPTS[arguments.shell].format(commands=" ".join(COMMANDS)), end="")
    return 0
