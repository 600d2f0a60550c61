# Completion of `tessera` for fish, as `tessera help --completion=fish` prints it.
function __tessera_words
  set -l words (commandline -opc)
  set -l found ($words[1] help --complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c tessera -f -a '(__tessera_words)'
