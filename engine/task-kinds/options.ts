// Targets of dumps and snapshots: engine options that two task kinds use.
import type { DescribeError } from '../backup/dumps/index.ts'
import type { FileSystem } from '../store/storage/index.ts'
import type { StoreOptions } from './snapshot-upload.ts'

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
