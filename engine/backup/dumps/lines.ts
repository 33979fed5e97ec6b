// Files of a dump that hold one value per line, read as streams.
import { NEWLINE } from '../../../format/bytes/index.ts'
import { type FileSystem, fileBytes, readFile } from '../../store/storage/index.ts'
import { corrupted, parsed } from './dump-error.ts'
import { LINE_BYTES_MAX, SMALL_FILE_BYTES_MAX } from './limits.ts'

export type Line = {
  readonly value: unknown
  /** File and line, for messages. */
  readonly place: string
}

/** The location of a dump's files. */
export type DumpFiles = {
  readonly fs: FileSystem
  /** The folder that the dump was unpacked into. */
  readonly folder: string
  /** Bytes of each file, by its path in the dump. */
  readonly sizes: ReadonlyMap<string, number>
}

export const inDump = (files: DumpFiles, path: string): string => `${files.folder}/${path}`

/**
 * Yields the lines of a file without empty ones. `lineBytesMax`: of a line that does not end in the
 * chunk in which it begins. @throws DumpError, StorageError
 */
export async function* linesOf(
  files: DumpFiles,
  path: string,
  lineBytesMax = LINE_BYTES_MAX,
): AsyncGenerator<Line, void, undefined> {
  let number = 0
  for await (const bytes of rawLines(files, path, lineBytesMax)) {
    number++
    const place = `\`${path}\`, line ${number}`
    const text = decoded(bytes, place)
    if (text.trim() !== '') yield { value: parsed(text, place), place }
  }
}

/** Yields the bytes of each line, without its end. */
async function* rawLines(
  { fs, folder }: DumpFiles,
  path: string,
  lineBytesMax: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let begun: Uint8Array[] = []
  let length = 0
  for await (const chunk of fileBytes(fs, `${folder}/${path}`)) {
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const rest = chunk.subarray(from, end)
      yield begun.length === 0 ? rest : Buffer.concat([...begun, rest])
      begun = []
      length = 0
      from = end + 1
    }
    if (from === chunk.length) continue
    begun.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > lineBytesMax) corrupted(`\`${path}\``, 'a line is too long')
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decoded(bytes: Uint8Array, place: string): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    // The decoder throws TypeError for invalid UTF-8 only.
    if (!(error instanceof TypeError)) throw error
    return corrupted(place, 'it is not UTF-8')
  }
}

/** Returns the text of a small file, or null if it is missing. @throws DumpError, StorageError */
export function smallFile(files: DumpFiles, path: string): string | null {
  if (!files.sizes.has(path)) return null
  const bytes = readFile(files.fs, inDump(files, path), SMALL_FILE_BYTES_MAX)
  return decoded(bytes, `\`${path}\``)
}

/**
 * Returns the value of a small file; undefined if it is missing. @throws DumpError, StorageError
 */
export function smallValue(files: DumpFiles, path: string): unknown {
  const text = smallFile(files, path)
  return text === null ? undefined : parsed(text, `\`${path}\``)
}

/** Returns the names of files and folders in a folder of the dump, in byte order. */
export function namesIn(files: DumpFiles, folder: string): readonly string[] {
  const names = new Set<string>()
  const prefix = `${folder}/`
  for (const path of files.sizes.keys()) {
    if (path.startsWith(prefix)) names.add(path.slice(prefix.length).split('/')[0]!)
  }
  return [...names].sort()
}
