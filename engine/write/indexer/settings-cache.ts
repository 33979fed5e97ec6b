// A cache of the settings of indexes with recent batches on a thread. A batch of one document would
// spend a tenth of its time on decoding and compiling settings; compiled forms are cached by the
// settings object.
import { decodeSettings, type IndexSettings } from '../../settings/index.ts'

/** Number of indexes that change alternately; settings and their tables take some 100 KB each. */
const TEXTS_MAX = 16

/** By stored text, the least recently used first. */
const cached = new Map<string, IndexSettings>()

/** Returns the settings of a stored text: the same object while it is cached. */
export function cachedSettings(text: string): IndexSettings {
  const settings = cached.get(text) ?? decodeSettings(text)
  cached.delete(text)
  cached.set(text, settings)
  for (const oldest of cached.keys()) {
    if (cached.size <= TEXTS_MAX) break
    cached.delete(oldest)
  }
  return settings
}
