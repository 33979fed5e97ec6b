// Creates folders one by one. The recursive `mkdir` of Node never returns in folders where the
// system refuses new names with ENOENT, such as /proc.

import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, isAbsolute } from 'node:path'
import { assert } from '../../../format/errors.ts'

/**
 * Creates the folder at the absolute path `full` and missing folders above it. Returns the
 * outermost created folder, or undefined if all existed. @throws the system's error
 */
export function makeFolders(full: string, mode: number): string | undefined {
  assert(isAbsolute(full), 'folders are made by an absolute path')
  const missing: string[] = []
  // The root may be missing as well: a drive of Windows.
  for (let folder = full; !existsSync(folder); folder = dirname(folder)) {
    missing.push(folder)
    if (folder === dirname(folder)) break
  }
  if (missing.length === 0 && !isFolder(full)) mkdirSync(full)
  missing.reverse()
  for (const folder of missing) {
    try {
      mkdirSync(folder, mode)
    } catch (error) {
      // Another process may have created it meanwhile.
      if (!isFolder(folder)) throw error
    }
  }
  return missing[0]
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
