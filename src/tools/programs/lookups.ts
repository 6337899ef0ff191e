// Programs that only look up, print, search or compare. They start nothing and change nothing, so their arguments are data.
import type { ProgramRow, ProgramTable } from "./ProgramRow.ts";

const reads: ProgramRow = { reads: true };
/** A known program that starts nothing its arguments name, and changes only its own folder. */
const plain: ProgramRow = {};

export const LOOKUPS: ProgramTable = {
  "cat ls dir vdir pwd echo printf head tail wc nl tac rev cut paste join fold fmt column tr expand unexpand od hexdump strings cmp diff diff3 sdiff colordiff":
    reads,
  "grep egrep fgrep zgrep zcat bzcat xzcat zless look apropos whatis which whereis type tldr cheat cowsay figlet toilet lolcat fortune banner yes true false test seq factor cal ncal bc expr numfmt":
    reads,
  "apt-cache dpkg-query apt-file rpmquery equery pgrep pidof ps top htop pstree lsof free uptime vmstat iostat mpstat sar nproc lscpu lspci lsusb lsblk lshw lsmod lsns lsattr getfacl getcap getenforce blkid findmnt df du stat file readlink realpath basename dirname pathchk id groups who w whoami users last lastlog finger getent hostname uname locale tty nslookup dig host whois ping ping6 traceroute tracepath mtr ss netstat arp getconf printenv tput clear sleep wait":
    reads,
  "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum": reads,
  yq: { reads: true, edits: "i inplace", written: "last" },
  "jq gron xsv csvlook csvstat csvcut mlr xmlstarlet pup htmlq fx": reads,
  "zipinfo lvs vgs pvs lvdisplay vgdisplay pvdisplay ffprobe exiftool mediainfo identify pdfinfo nm objdump readelf ldd size tokei cloc scc ncdu dust duf eza exa lsd procs glow hexyl":
    reads,
  "sar sensors smartctl dmidecode acpi upower nvidia-smi ulimit umask alias jobs fg bg help cd pushd popd dirs say notify-send":
    reads,
  "mkdir rmdir mktemp mkfifo": { written: "all", values: "m p mode" },
  "pytest tox nox mypy ruff black flake8 pylint isort pyright bandit coverage eslint prettier tsc jest vitest mocha ava karma cypress playwright biome rollup webpack vite esbuild parcel next nuxt turbo tslint stylelint standard xo rubocop rspec rake phpunit phpstan psalm golangci-lint staticcheck gofmt goimports rustfmt rustc clippy-driver shellcheck shfmt hadolint yamllint markdownlint actionlint tflint ktlint detekt checkstyle javac kotlinc scalac swiftc swiftlint swiftformat clang-format clang-tidy cppcheck sphinx-build mkdocs hugo jekyll configure meson protoc buf codespell pre-commit djlint alembic":
    plain,
  "php-cs-fixer artisan rails django-admin manage.py storybook ionic expo": plain,
  pdftotext: { reads: true, style: "single-dash", values: "f l r x y W H enc eol opw upw", written: "last" },
  "dos2unix unix2dos": { values: "n newfile", written: "all", printsWith: "i info O to-stdout" },
  "convert magick sox wkhtmltopdf qpdf": { writes: "o output", written: "last" },
  "aspell ispell dot graphviz plantuml mogrify ffmpeg pdftk latexmk base32 uuencode uudecode": {
    writes: "o output",
  },
};
