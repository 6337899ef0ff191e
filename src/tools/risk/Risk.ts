// What makes a call one that a person has to confirm. Knows neither tools nor what is asked of whom.

/** What makes a call one that a person has to confirm, and that is refused where nobody is there. */
export interface Risk {
  readonly rule:
    | "drop"
    | "truncate"
    | "unbounded-delete"
    | "unbounded-update"
    /** Who may do what is changed. */
    | "rights"
    /** Files, programs or servers beyond the one that is asked. */
    | "outside"
    /** All that lies below is deleted, or what cannot be brought back. */
    | "delete"
    /** Disks are written over, or the machine stops. */
    | "disk"
    /** What the command is given leaves the machine. */
    | "network"
    /** What runs stands in the words of a command, or comes from elsewhere. */
    | "code"
    /** A shell would make more of it than words. */
    | "shell"
    /** What runs stands in a text that is not looked into. */
    | "hidden"
    /** A program that is not known to only read, where the policy is `strict`. */
    | "unknown"
    /** Longer or deeper than what is looked into. */
    | "unread";
  /** For a person: what would happen, in the words of the statement or the command. */
  readonly reason: string;
}
