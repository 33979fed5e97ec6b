// Settings of the indexes that a thread has batches of. A batch of one document would spend a tenth
// of its time on reading them and on what is made of them: that is found again under the settings.
import { decodeSettings, type IndexSettings } from '../../settings/index.ts'

/** Indexes that change in turn; settings and their tables are some 100 KB. */
const TEXTS_MAX = 16

/** By stored text, the least recently used first. */
const cached = new Map<string, IndexSettings>()

/** The settings in a stored text: the same object as long as the thread has not forgotten it. */
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
