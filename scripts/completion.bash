# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Completion of `tessera` for bash: source this file, or install it (make install does) in
# share/bash-completion/completions/tessera. What can follow is asked from the command itself.

# The long and short options of a help page.
_tessera_options() {
  "$1" --color=never help $2 2>/dev/null |
    sed -n 's/^  \(-\([A-Za-z]\), \| *\)--\([a-z-]*\).*/--\3 -\2/p' | sed 's/ -$//'
}

_tessera_commands() {
  "$1" --color=never help 2>/dev/null | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# The values that an option can have; nothing for those that take any word.
_tessera_values() {
  local tessera=$1 option=$2 file=$3 command=$4
  case $option in
  --color) echo auto always never ;;
  --emit) echo llvm asm obj ;;
  --version) [[ $command == as ]] && echo 13.1 13.2 13.3 ;;
  --cpu) echo baseline avx2 avx512 ;;
  --sanitize) echo all bounds assume init race arith ;;
  --target | -t) "$tessera" devices 2>/dev/null | sed '/not usable/d; s/ .*//' ;;
  --kernel | -k)
    [ -f "$file" ] && "$tessera" check -v "$file" 2>/dev/null | grep -o '@[A-Za-z0-9_$.]*' | tr -d @
    ;;
  esac
}

_tessera() {
  local tessera=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} option= command= file= word i
  COMPREPLY=()
  # The first words that aren't options: the command, then usually a program.
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    [[ $word == -* || $word == = ]] && continue
    [[ ${COMP_WORDS[i - 1]} == = ]] && continue
    if [[ -z $command ]]; then command=$word
    elif [[ -z $file ]]; then file=$word; fi
  done
  # bash splits --option=value into three words.
  if [[ $current == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} current=
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -* ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  local values=
  [[ -n $option ]] && values=$(_tessera_values "$tessera" "$option" "$file" "$command")
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$(_tessera_options "$tessera" "$command")" -- "$current"))
  elif [[ -z $command || $command == help ]]; then
    COMPREPLY=($(compgen -W "$(_tessera_commands "$tessera")" -- "$current"))
  elif [[ $command == cache ]]; then
    COMPREPLY=($(compgen -W "list stat clear" -- "$current"))
  elif [[ $command == tune && -z $file ]]; then
    COMPREPLY=($(compgen -W "run list show export import clear" -- "$current"))
  elif [[ $command == op && -z $file ]]; then
    COMPREPLY=($(compgen -W "list explain run check tune build" -- "$current"))
  elif [[ $command == explain ]]; then
    COMPREPLY=($(compgen -W "$("$tessera" --color=never explain 2>/dev/null |
      sed -n '/^Other/,$!s/^  \([a-z0-9_]*\) .*/\1/p; /^  types:/,${s/[a-z]*:\|[,;]//g;p}')" -- "$current"))
  elif [[ ($command == run || $command == debug) && -n $file ]]; then
    COMPREPLY=($(compgen -W 'zeros: ones: arange: uniform: normal:' -- "$current"))
  fi
  # Nothing of the above: bash completes file names.
}
complete -o bashdefault -o default -F _tessera tessera
