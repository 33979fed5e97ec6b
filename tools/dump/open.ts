// Unpacks a dump into a temporary folder, which is removed when the work is done.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import {
  ArchiveError,
  DumpError,
  type DumpReader,
  openDump,
  unpackArchive,
} from '../../engine/backup.ts'
import { EngineFault, fileBytes, RealFileSystem, taskKinds } from '../../engine/index.ts'
import { type Progress, ToolError } from '../terminal/index.ts'

export type OpenOptions = {
  /** Parent of the temporary folder, or null for the system's default. */
  readonly scratch: string | null
  readonly openProgress: (bytes: number) => Progress
}

export type OpenedDump = {
  readonly reader: DumpReader
  /** Size of the archive. */
  readonly bytes: number
  readonly unpackedBytes: number
}

/** Returns the fault of the dump itself, or null for another failure. */
export const faultOf = (error: unknown): string | null =>
  error instanceof ArchiveError || error instanceof DumpError || error instanceof EngineFault
    ? error.message
    : null

/** Runs `work` on a dump. @throws ToolError, StorageError, and faults of the dump */
export async function withDump<T>(
  file: string,
  options: OpenOptions,
  work: (dump: OpenedDump) => Promise<T>,
): Promise<T> {
  const path = resolve(file)
  const source = new RealFileSystem(dirname(path))
  const name = basename(path)
  if (!source.exists(name)) throw new ToolError(`there is no file \`${file}\``)
  return await inScratch(options.scratch, async (folder) => {
    const fs = new RealFileSystem(folder)
    const bytes = source.size(name)
    const progress = options.openProgress(bytes)
    let done = 0
    async function* counted(): AsyncGenerator<Uint8Array> {
      for await (const chunk of fileBytes(source, name)) {
        done += chunk.length
        progress.at(done, 'unpacking')
        yield chunk
      }
    }
    const entries = await unpackArchive(counted(), fs, 'dump').finally(progress.end)
    const sizes = new Map(entries.map((entry) => [entry.path, entry.bytes]))
    const reader = await openDump({ fs, folder: 'dump', sizes }, taskKinds)
    const unpackedBytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
    return await work({ reader, bytes, unpackedBytes })
  })
}

/** Runs `work` with a temporary folder. @throws ToolError, and what `work` throws */
export async function inScratch<T>(
  scratch: string | null,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = scratchFolder(scratch ?? tmpdir())
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @throws ToolError */
function scratchFolder(parent: string): string {
  try {
    return mkdtempSync(join(resolve(parent), 'svc-dump-'))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new ToolError(`the dump cannot be unpacked in \`${parent}\` (${String(error.code)})`)
  }
}

/** The same, but an invalid dump is a failure of the command. */
export async function withSoundDump<T>(
  file: string,
  options: OpenOptions,
  work: (dump: OpenedDump) => Promise<T>,
): Promise<T> {
  try {
    return await withDump(file, options, work)
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    throw new ToolError(`\`${file}\` is not a sound dump: ${fault}`)
  }
}
