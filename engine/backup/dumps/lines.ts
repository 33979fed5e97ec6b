// Files of a dump that hold a value a line, read piece by piece.
import { type FileSystem, fileBytes, readFile } from '../../store/storage/index.ts'
import { corrupted, parsed } from './dump-error.ts'
import { LINE_BYTES_MAX, SMALL_FILE_BYTES_MAX } from './limits.ts'

const NEWLINE = 0x0a

export type Line = {
  readonly value: unknown
  /** File and line, for words. */
  readonly place: string
}

/** Where the files of a dump are. */
export type DumpFiles = {
  readonly fs: FileSystem
  /** The folder that the dump was unpacked into. */
  readonly folder: string
  /** Bytes of each file, by its path in the dump. */
  readonly sizes: ReadonlyMap<string, number>
}

export const inDump = (files: DumpFiles, path: string): string => `${files.folder}/${path}`

/** The lines of a file, empty ones left out. @throws DumpError, StorageError */
export async function* linesOf(
  files: DumpFiles,
  path: string,
): AsyncGenerator<Line, void, undefined> {
  let number = 0
  for await (const bytes of rawLines(files, path)) {
    number++
    const place = `\`${path}\`, line ${number}`
    const text = decoded(bytes, place)
    if (text.trim() !== '') yield { value: parsed(text, place), place }
  }
}

/** The bytes of each line, without its end. */
async function* rawLines(
  { fs, folder }: DumpFiles,
  path: string,
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
    if (length > LINE_BYTES_MAX) corrupted(`\`${path}\``, 'a line is too long')
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decoded(bytes: Uint8Array, place: string): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    // Only what is no UTF-8.
    if (!(error instanceof TypeError)) throw error
    return corrupted(place, 'it is no UTF-8')
  }
}

/** The text of a small file; null: there is none. @throws DumpError, StorageError */
export function smallFile(files: DumpFiles, path: string): string | null {
  if (!files.sizes.has(path)) return null
  const bytes = readFile(files.fs, inDump(files, path), SMALL_FILE_BYTES_MAX)
  return decoded(bytes, `\`${path}\``)
}

/** The value of a small file; undefined: there is none. @throws DumpError, StorageError */
export function smallValue(files: DumpFiles, path: string): unknown {
  const text = smallFile(files, path)
  return text === null ? undefined : parsed(text, `\`${path}\``)
}

/** The names in a folder of the dump, of files and folders, in byte order. */
export function namesIn(files: DumpFiles, folder: string): readonly string[] {
  const names = new Set<string>()
  const prefix = `${folder}/`
  for (const path of files.sizes.keys()) {
    if (path.startsWith(prefix)) names.add(path.slice(prefix.length).split('/')[0]!)
  }
  return [...names].sort()
}
