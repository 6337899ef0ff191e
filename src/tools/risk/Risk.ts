// The risk of a call that needs an approval.

/** Reason why a call needs an approval; without an approver the call is refused. */
export interface Risk {
  readonly rule:
    | "drop"
    | "truncate"
    | "unbounded-delete"
    | "unbounded-update"
    /** Changes permissions. */
    | "rights"
    /** Affects files, programs or servers outside of the one that is addressed. */
    | "outside"
    /** Deletes recursively, or irrecoverably. */
    | "delete"
    /** Disks are written over, or the machine stops. */
    | "disk"
    /** Sends input of the command to another machine. */
    | "network"
    /** Runs code from the arguments of a command, or from elsewhere. */
    | "code"
    /** Contains shell syntax, which a shell would expand. */
    | "shell"
    /** Runs code in a text that is not analysed. */
    | "hidden"
    /** A program that is not known to be read-only, under the policy `strict`. */
    | "unknown"
    /** Longer or deeper than the analysis limit. */
    | "unread";
  /** The effect for a human reader, with text of the statement or command. */
  readonly reason: string;
}
