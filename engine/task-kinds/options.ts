// Where dumps and snapshots go: options of the engine that two kinds of tasks need.
import type { DescribeError } from '../backup/dumps/index.ts'
import type { FileSystem } from '../store/storage/index.ts'
import type { StoreOptions } from './snapshot-upload.ts'

/** Where dumps go, and what they have to say that the engine does not know. */
export type DumpOptions = {
  /** The folder; made when a dump is. */
  readonly folder: string
  readonly describe: DescribeError
  /** For tests: the folder's file system in place of the real one. */
  readonly fileSystem?: FileSystem
}

/** Where snapshots go, and how. */
export type SnapshotOptions = {
  /** The folder they are written to; made when one is. */
  readonly folder: string
  /** What the file is called, without its ending: as the database folder. */
  readonly name: string
  /** Whether logs and bodies are packed. */
  readonly compact: boolean
  /** How many are kept in the folder, with their time in the name; absent: the last one alone. */
  readonly retain?: number
  /** Where they go in place of the folder; absent: to the folder. */
  readonly store?: StoreOptions
  /** For tests: the file system of a folder outside of the database. */
  readonly outside?: (root: string) => FileSystem
}
