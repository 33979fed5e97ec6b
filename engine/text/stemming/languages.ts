// The languages whose words have stems: those of Snowball that the packages have.

/** Three-letter code → the name of its stemmer. */
export const STEMMER_NAMES: ReadonlyMap<string, string> = new Map([
  ['ara', 'arabic'],
  ['dan', 'danish'],
  ['deu', 'german'],
  ['ell', 'greek'],
  ['eng', 'english'],
  ['fin', 'finnish'],
  ['fra', 'french'],
  ['hin', 'indian'],
  ['hun', 'hungarian'],
  ['hye', 'armenian'],
  ['ind', 'indonesian'],
  ['ita', 'italian'],
  ['lit', 'lithuanian'],
  ['nep', 'nepali'],
  ['nld', 'dutch'],
  ['nob', 'norwegian'],
  ['por', 'portuguese'],
  ['ron', 'romanian'],
  ['rus', 'russian'],
  ['spa', 'spanish'],
  ['srp', 'serbian'],
  ['swe', 'swedish'],
  ['tam', 'tamil'],
  ['tur', 'turkish'],
])

export const STEMMED_LANGUAGES: readonly string[] = [...STEMMER_NAMES.keys()]
