// The names of an archive's entries: relative paths that stay inside the folder of unpacking.
import { ArchiveError } from './archive-error.ts'
import { DEPTH_MAX, NAME_BYTES_MAX, PATH_BYTES_MAX } from './limits.ts'

/**
 * Returns the path of `name` below the folder of unpacking, without `./` and without a slash at its
 * end; `''` is that folder itself. @throws ArchiveError `unsafe`
 */
export function entryPath(name: string): string {
  const path = name.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')
  if (name === '') throw unsafe(name, 'has no name')
  if (name.startsWith('/')) throw unsafe(name, 'has an absolute path')
  if (path === '' || path === '.') return ''
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw unsafe(name, 'has a path that is too long')
  const names = path.split('/')
  if (names.length > DEPTH_MAX) throw unsafe(name, 'lies too deep')
  if (names.includes('..')) throw unsafe(name, 'has a path that leaves the archive')
  if (names.some(isStrange)) throw unsafe(name, 'has a path that no system has')
  return path
}

/** Returns true for names that are meaningless, or mean different things on different systems. */
function isStrange(name: string): boolean {
  return (
    name === '' ||
    name === '.' ||
    name.includes('\\') ||
    /^[A-Za-z]:/.test(name) ||
    /\p{Cc}|\ufffd/u.test(name) ||
    Buffer.byteLength(name) > NAME_BYTES_MAX
  )
}

/** Returns `name` for messages: short, without control characters. */
export const shownName = (name: string): string => {
  const plain = name.replace(/\p{Cc}/gu, '?')
  return plain.length > 80 ? `${plain.slice(0, 80)}…` : plain
}

const unsafe = (name: string, reason: string): ArchiveError =>
  new ArchiveError('unsafe', `the entry \`${shownName(name)}\` ${reason}`)

/** The names in an archive so far: each occurs once, and a file has no entries below it. */
export class EntryNames {
  readonly #kinds = new Map<string, 'file' | 'folder' | 'implied'>()

  /** @throws ArchiveError `unsafe` */
  add(path: string, kind: 'file' | 'folder'): void {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      const known = this.#kinds.get(folder)
      if (known === 'file') throw unsafe(path, 'lies inside a file')
      if (known === undefined) this.#kinds.set(folder, 'implied')
    }
    const known = this.#kinds.get(path)
    const isNew = known === undefined || (known === 'implied' && kind === 'folder')
    if (!isNew) throw unsafe(path, 'occurs twice')
    this.#kinds.set(path, kind)
  }
}
