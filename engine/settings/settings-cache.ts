// Caches decoded settings of a thread, by their stored text. A batch of one document would spend
// much of its time on decoding and compiling settings, above all those with many synonyms. Compiled
// forms are cached by the settings object.
import { MiB } from '../../format/bytes/index.ts'
import { decodeSettings } from './stored-text.ts'
import type { IndexSettings } from './types.ts'

/** Number of indexes that change alternately; each keeps its settings and their tables. */
const TEXTS_MAX = 16
/** UTF-16 units of all texts; decoded settings take several times as many bytes. */
const UNITS_MAX = 8 * MiB

/** By stored text, the least recently used first. */
const cached = new Map<string, IndexSettings>()
let units = 0

/** Returns the settings of a stored text: the same object while it is cached. */
export function cachedSettings(text: string): IndexSettings {
  const known = cached.get(text)
  const settings = known ?? decodeSettings(text)
  if (known === undefined) units += text.length
  else cached.delete(text)
  cached.set(text, settings)
  for (const oldest of cached.keys()) {
    if (cached.size <= TEXTS_MAX && (units <= UNITS_MAX || cached.size === 1)) break
    cached.delete(oldest)
    units -= oldest.length
  }
  return settings
}
