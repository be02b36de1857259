"""Print a script that completes `cinder-scene` in a shell.

Use: `eval "$(cinder-scene completion bash)"`, likewise for zsh; for fish
`cinder-scene completion fish | source`. Commands, their options and choices are completed here;
files by the shell, which knows how to quote them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

HELP = "print a completion script for bash, zsh or fish"

_SHELLS = ("bash", "fish", "zsh")
_BASH = """_cinder_scene() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words="" line
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands} -h --help"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
    fi
    case "$word" in
        -*) ;;
        *) [ "$COMP_CWORD" -eq 1 ] || [ "${{COMP_WORDS[1]}}" = completion ] || return 0 ;;
    esac
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen -W "$words" -- "$word")
}}
complete -o bashdefault -o default -F _cinder_scene cinder-scene
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say which arguments the command takes."""
    parser.add_argument("shell", choices=_SHELLS)


def run(arguments: argparse.Namespace) -> int:
    """Print the script of one shell."""
    # Imported late: the list of commands holds this one.
    from engine.cli.scene import COMMANDS

    words = {name: _words(module.add_arguments) for name, module in COMMANDS.items()}
    if arguments.shell == "fish":
        print(_fish(words), end="")
        return 0
    if arguments.shell == "zsh":
        print("autoload -U +X compinit bashcompinit && compinit && bashcompinit")
    cases = "\n".join(f'            {name}) words="{" ".join(words[name])}" ;;' for name in words)
    print(_BASH.format(commands=" ".join(words), cases=cases), end="")
    return 0


def _words(add_arguments: Callable[[argparse.ArgumentParser], None]) -> list[str]:
    """Return the options of a command, and what its positional arguments may be called."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words: list[str] = []
    for action in parser._actions:
        words += action.option_strings or map(str, action.choices or ())
    return words


def _fish(words: dict[str, list[str]]) -> str:
    lines = [f'complete -c cinder-scene -n __fish_use_subcommand -f -a "{" ".join(words)}"']
    for name, of_command in words.items():
        condition = f'-n "__fish_seen_subcommand_from {name}"'
        plain = [word for word in of_command if not word.startswith("-")]
        if plain:
            lines.append(f'complete -c cinder-scene {condition} -f -a "{" ".join(plain)}"')
        lines += [
            f"complete -c cinder-scene {condition} -l {word[2:]}"
            for word in of_command
            if word.startswith("--")
        ]
    return "\n".join(lines) + "\n"
