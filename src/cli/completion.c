/* `mlia completion SHELL`: scripts that ask `mlia __complete`. */
#include "cli/commands.h"

static const char bash_script[] =
    "# bash completion of mlia: source it, or put it in ~/.local/share/bash-completion/completions/mlia\n"
    "_mlia() {\n"
    "    local line current=\"${COMP_WORDS[COMP_CWORD]}\" suffix\n"
    "    [ \"$current\" = \"=\" ] && current=\"\"\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case \"$line\" in\n"
    "        :folders) mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$current\") ;;\n"
    "        :files) mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -- \"$current\") ;;\n"
    "        :files\\ *)\n"
    "            mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -S / -- \"$current\")\n"
    "            for suffix in ${line#:files }; do\n"
    "                mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -f -X \"!*$suffix\" -- "
    "\"$current\")\n"
    "            done ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]}\" __complete \"$COMP_CWORD\" \"${COMP_WORDS[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -o filenames -F _mlia mlia\n";

static const char zsh_script[] =
    "#compdef mlia\n"
    "# zsh completion of mlia: put it as _mlia in a folder of $fpath\n"
    "_mlia() {\n"
    "    local line\n"
    "    local -a candidates\n"
    "    for line in \"${(@f)$(\"${words[1]}\" __complete $((CURRENT - 1)) \"${words[@]}\" 2>/dev/null)}\"; "
    "do\n"
    "        case \"$line\" in\n"
    "        '') ;;\n"
    "        :folders) _files -/ ;;\n"
    "        :files) _files ;;\n"
    "        :files\\ *) _files -g \"*(${(j:|:)${(s: :)line#:files }})\" ;;\n"
    "        *$'\\t'*) candidates+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        *) candidates+=(\"${line//:/\\\\:}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ${#candidates} )) && _describe mlia candidates\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _mlia ]; then _mlia \"$@\"; else compdef _mlia mlia; fi\n";

static const char fish_script[] =
    "# fish completion of mlia: put it in ~/.config/fish/completions/mlia.fish\n"
    "function __mlia_complete\n"
    "    set -l tokens (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    for line in ($tokens[1] __complete (count $tokens) $tokens $current 2>/dev/null)\n"
    "        switch $line\n"
    "            case ':folders'\n"
    "                __fish_complete_directories $current\n"
    "            case ':files' ':files *'\n"
    "                __fish_complete_path $current\n"
    "            case '*'\n"
    "                echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c mlia -f -a '(__mlia_complete)'\n";

static const struct {
    const char *shell;
    const char *script;
} scripts[] = {
    {"bash", bash_script},
    {"zsh", zsh_script},
    {"fish", fish_script},
};

static mlia_status *run(mlia_cli *cli)
{
    mlia_str shell = mlia_str_from_c(cli->arguments.items[0]);
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        if (!mlia_str_equal_c(shell, scripts[i].shell))
            continue;
        mlia_cli_print(cli, "%s", scripts[i].script);
        return NULL;
    }
    return mlia_error(MLIA_E_OPTION_VALUE, "'%.*s' is none of bash, zsh, fish", MLIA_STR_ARG(shell));
}

const mlia_cli_command mlia_cli_command_completion = {
    .name = "completion",
    .summary = "Print a completion script for bash, zsh or fish",
    .arguments = "bash|zsh|fish",
    .argument_type = MLIA_CLI_TEXT,
    .argument_minimum = 1,
    .argument_limit = 1,
    .argument_missing = "completion needs the name of a shell: bash, zsh or fish",
    .run = run,
};
