// The stemmers of two packages. The build replaces this module: `dist` has them in one file, which
// is read when an index first needs a stem. English is of another package, because Orama's drops
// letters: `collection` becomes `collec`, and `collect` stays.
import { createRequire } from 'node:module'

/** Returns the stem of a word in lower case, with its marks. */
export type Stemmer = (word: string) => string

/** Returns a stemmer by its name in `STEMMER_NAMES`. */
export function stemmerNamed(name: string): Stemmer {
  const require = createRequire(import.meta.url)
  if (name === 'english') return require('wink-porter2-stemmer') as Stemmer
  return (require(`@orama/stemmers/${name}`) as { readonly stemmer: Stemmer }).stemmer
}
