// Detects paths that belong to the system or to the startup of a user's programs.

const FOLDERS = "etc|usr|bin|sbin|lib\\w*|boot|root|proc|sys|run|Library|System|private/etc|var/(?:spool|lib|log|run)";
/** Files that run, or are obeyed, when a user or a program starts. */
const STARTING =
  "bashrc|bash_\\w+|profile|zshrc|zprofile|zshenv|netrc|npmrc|pypirc|gitconfig|vimrc|ssh/|aws/|kube/|gnupg/|git/(?:hooks|config)|config/(?:autostart|systemd|fish)";

/** Paths whose change affects more than a project. Leading `../` may lead to the root. */
export const SYSTEM_PLACE = new RegExp(
  [
    `^/+(?:var|home(?:/[^/]+)?)?/*$`,
    `^(?:(?:\\.\\./)+|/+)(?:${FOLDERS})(?:/|$)`,
    `^/home/[^/]+/\\.`,
    `(?:^|/)\\.(?:${STARTING})`,
    `^/dev/(?!(?:null|zero|tty)$|std|fd/)`,
    `^~`,
    `^[a-z]:[\\\\/](?:windows|program)`,
  ].join("|"),
  "i",
);

/** Paths outside of the folder: absolute, above it, or in a home. Temporary files and the standard streams are not among them. */
export function isElsewhere(path: string): boolean {
  return (
    SYSTEM_PLACE.test(path) ||
    (/^(?:[/~]|[a-zA-Z]:[\\/])|(?:^|\/)\.\.\//.test(path) && !/^\/(?:tmp\/|dev\/(?:null|stdout|stderr)$)/.test(path))
  );
}
