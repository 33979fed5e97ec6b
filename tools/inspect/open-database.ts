// Opens the files of a command: a database folder, or a single file. Nothing here writes.
import { type Stats, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type FileSystem, RealFileSystem, StorageError } from '../../engine/index.ts'
import { CURRENT, SEGMENTS, VERSION } from '../../engine/inspect.ts'
import { ToolError } from '../terminal/index.ts'

/**
 * Returns the file system of a folder that holds a database, or the remains of one. @throws
 * ToolError
 */
export function openDatabaseFolder(path: string): FileSystem {
  const found = statOf(path)
  if (found === null) {
    throw new ToolError(`there is no folder \`${path}\`: check the path of the database`)
  }
  if (!found.isDirectory()) {
    throw new ToolError(`\`${path}\` is a file: a database is the folder that the server keeps`)
  }
  const fs = new RealFileSystem(path)
  if (![CURRENT, VERSION, SEGMENTS].some((name) => fs.exists(name))) {
    throw new ToolError(`\`${path}\` holds no database: check the path`)
  }
  return fs
}

/** Attempts, because a server may merge segments away during the work. */
const ATTEMPTS = 5

/**
 * Runs `work`, which reads the manifest and the segments that it names, and repeats it if a file is
 * missing, because a running server has merged it away since. @throws StorageError
 */
export function besideServer<T>(work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return work()
    } catch (error) {
      const isGone = error instanceof StorageError && error.code === 'missing'
      if (!isGone || attempt === ATTEMPTS) throw error
    }
  }
}

/** Maps a whole file read-only. @throws ToolError, StorageError */
export function mapWholeFile(path: string): Uint8Array {
  const found = statOf(path)
  if (found === null) throw new ToolError(`there is no file \`${path}\``)
  if (!found.isFile()) throw new ToolError(`\`${path}\` is not a file`)
  const full = resolve(path)
  return new RealFileSystem(dirname(full)).map(basename(full), found.size)
}

function statOf(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null
}
