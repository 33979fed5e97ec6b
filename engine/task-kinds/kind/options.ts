// Targets of dumps and snapshots: engine options that two task kinds use.
import type { DescribeError } from '../../backup/dumps/index.ts'
import type { CredentialSource, StorePlace, Transport } from '../../backup/objstore/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'

/** The object store that snapshots go to. */
export type StoreOptions = {
  readonly transport: Transport
  readonly url: string
  readonly region: string
  readonly bucket: string
  readonly place: StorePlace
  readonly credentials: CredentialSource
  /** Number of parts and files that are uploaded at the same time. */
  readonly lanesMax: number
  /** Gzip level of archives, 0 to 9. */
  readonly level: number
  readonly partBytes: number
  /** Validity of a signature in seconds, also the time limit of a snapshot. */
  readonly signatureSeconds: number
  /** Whether files are uploaded one by one, only those that the bucket does not have. */
  readonly incremental: boolean
  /** Number of snapshots to keep, or null for all. */
  readonly retain: number | null
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly retryPauseMs?: number
  readonly retryMsMax?: number
}

/** The target of dumps, and the error descriptions that the engine itself does not have. */
export type DumpOptions = {
  /** The folder; created for the first dump. */
  readonly folder: string
  readonly describe: DescribeError
  /** For tests: replaces the real file system of the folder. */
  readonly fileSystem?: FileSystem
}

/** The target and the form of snapshots. */
export type SnapshotOptions = {
  /** The folder of snapshots; created for the first one. */
  readonly folder: string
  /** File name without extension: the name of the database folder. */
  readonly name: string
  /** Whether logs and bodies are compressed. */
  readonly compact: boolean
  /**
   * Number of snapshots to keep in the folder, with their time in the name; absent: only the last.
   */
  readonly retain?: number
  /** The object store that replaces the folder; absent means the folder. */
  readonly store?: StoreOptions
  /** For tests: returns the file system of a folder outside of the database. */
  readonly outside?: (root: string) => FileSystem
}
