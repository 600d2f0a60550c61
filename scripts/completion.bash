# Completion of `tessera` for bash, as `tessera help --completion=bash` prints it.
_tessera() {
  local words=() i joined= current prefix IFS=$'\n'
  # bash cuts words at '=' and ':'; what stands together on the line belongs together.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    if [[ -n $joined || ${COMP_WORDS[i]} == [=:]* ]] && ((${#words[@]})); then
      words[-1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
    joined=
    [[ ${COMP_WORDS[i]} == *[=:] ]] && joined=yes
  done
  current=${words[-1]}
  # Of a word that bash has cut it wants what follows the cut.
  prefix=${current%"${COMP_WORDS[COMP_CWORD]}"}
  [[ ${COMP_WORDS[COMP_CWORD]} == [=:] ]] && prefix=$current
  COMPREPLY=($("${COMP_WORDS[0]}" help --complete -- "${words[@]}" 2>/dev/null | cut -f1))
  COMPREPLY=("${COMPREPLY[@]#"$prefix"}")
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _tessera tessera
