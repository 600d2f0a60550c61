#compdef tessera
# Completion of `tessera` for zsh, as `tessera help --completion=zsh` prints it.
_tessera() {
  local line
  local -a plain joined texts joined_texts
  for line in ${(f)"$(${words[1]} help --complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    local word=${line%%$'\t'*} text=${line#*$'\t'}
    [[ $line == *$'\t'* ]] && text="$word  -- $text" || text=$word
    if [[ $word == *[=:] ]]; then joined+=($word) joined_texts+=($text)
    else plain+=($word) texts+=($text); fi
  done
  if ((${#plain} + ${#joined})); then
    ((${#plain})) && compadd -l -d texts -- $plain
    ((${#joined})) && compadd -S '' -l -d joined_texts -- $joined
    return 0
  fi
  _files
}
if [[ $funcstack[1] == _tessera ]]; then _tessera "$@"; else compdef _tessera tessera; fi
