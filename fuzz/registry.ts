// All fuzz targets. Add a line for each new `NAME.fuzz.ts`; `smoke.test.ts` fails if a target is
// missing.
import { target as archive } from './archive.fuzz.ts'
import { target as bodies } from './bodies.fuzz.ts'
import { target as chat } from './chat.fuzz.ts'
import { target as columns } from './columns.fuzz.ts'
import { target as config } from './config.fuzz.ts'
import { target as csv } from './csv.fuzz.ts'
import { target as documents } from './documents.fuzz.ts'
import { target as dumps } from './dumps.fuzz.ts'
import { target as filter } from './filter.fuzz.ts'
import { target as folder } from './folder.fuzz.ts'
import { target as frame } from './frame.fuzz.ts'
import { target as fst } from './fst.fuzz.ts'
import { target as http } from './http.fuzz.ts'
import { target as idset } from './idset.fuzz.ts'
import { target as json } from './json.fuzz.ts'
import { target as keys } from './keys.fuzz.ts'
import { target as levenshtein } from './levenshtein.fuzz.ts'
import { target as log } from './log.fuzz.ts'
import { target as manifest } from './manifest.fuzz.ts'
import { target as objstore } from './objstore.fuzz.ts'
import { target as parse } from './parse.fuzz.ts'
import { target as partial } from './partial.fuzz.ts'
import { target as postings } from './postings.fuzz.ts'
import { target as present } from './present.fuzz.ts'
import { target as rules } from './rules.fuzz.ts'
import { target as script } from './script.fuzz.ts'
import { target as search } from './search.fuzz.ts'
import { target as settings } from './settings.fuzz.ts'
import { target as snapshot } from './snapshot.fuzz.ts'
import type { FuzzTarget } from './target.ts'
import { target as tasks } from './tasks.fuzz.ts'
import { target as template } from './template.fuzz.ts'
import { target as text } from './text.fuzz.ts'
import { target as tokens } from './tokens.fuzz.ts'
import { target as tombstones } from './tombstones.fuzz.ts'
import { target as vectors } from './vectors.fuzz.ts'

export const targets: readonly FuzzTarget[] = [
  archive,
  bodies,
  chat,
  columns,
  config,
  csv,
  documents,
  dumps,
  filter,
  folder,
  frame,
  fst,
  http,
  idset,
  json,
  keys,
  levenshtein,
  log,
  manifest,
  objstore,
  parse,
  partial,
  postings,
  present,
  rules,
  script,
  search,
  settings,
  snapshot,
  tasks,
  template,
  text,
  tokens,
  tombstones,
  vectors,
]
