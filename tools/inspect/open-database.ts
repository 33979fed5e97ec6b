// The files a command looks at: a database folder, or any single file. Nothing here writes.
import { type Stats, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import {
  CURRENT,
  type FileSystem,
  RealFileSystem,
  SEGMENTS,
  StorageError,
  VERSION,
} from '../../engine/index.ts'
import { ToolFailure } from '../terminal/index.ts'

/**
 * The file system of a folder that holds a database, or what is left of one. @throws ToolFailure
 */
export function openDatabaseFolder(path: string): FileSystem {
  const found = statOf(path)
  if (found === null) {
    throw new ToolFailure(`there is no folder \`${path}\`: name the database with --db PATH`)
  }
  if (!found.isDirectory()) {
    throw new ToolFailure(`\`${path}\` is a file: --db names the folder that the server keeps`)
  }
  const fs = new RealFileSystem(resolve(path))
  if (![CURRENT, VERSION, SEGMENTS].some((name) => fs.exists(name))) {
    throw new ToolFailure(`\`${path}\` holds no database: name its folder with --db PATH`)
  }
  return fs
}

/** How often a server may have merged segments away while we were looking. */
const ATTEMPTS = 5

/**
 * Does `work`, which reads the manifest and the segments it names, again when a file was not there:
 * a running server has then merged it away since the manifest was read. @throws StorageError
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

/** A whole file in memory, mapped read only. @throws ToolFailure, StorageError */
export function mapWholeFile(path: string): Uint8Array {
  const found = statOf(path)
  if (found === null) throw new ToolFailure(`there is no file \`${path}\``)
  if (!found.isFile()) throw new ToolFailure(`\`${path}\` is no file`)
  const full = resolve(path)
  return new RealFileSystem(dirname(full)).map(basename(full), found.size)
}

function statOf(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null
}
