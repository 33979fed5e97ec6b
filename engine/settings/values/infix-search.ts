// The attributes in which a query word is also found inside of words.
import { countBetween, nullable, object, texts } from '../../../format/schema/index.ts'
import { TERM_BYTES_MAX } from '../../text/index.ts'
import { covers, setting } from '../schema/index.ts'

export type InfixSearch = {
  /** Names of fields; an object stands for all fields in it, `*` for every field. */
  readonly attributes: readonly string[]
  /** Characters of the shortest query word that is looked for inside of words. */
  readonly minLength: number
}
/** A change; an absent `minLength` is the default. */
export type InfixSearchPatch = {
  readonly attributes: readonly string[]
  readonly minLength?: number
}

/**
 * Segments list words by each three of their characters, so fewer cannot be looked up: two are in a
 * tenth of all words.
 */
export const INFIX_LENGTH_MIN = 3
/** No indexed word has more bytes, so a longer minimum would turn the setting off. */
export const INFIX_LENGTH_MAX = TERM_BYTES_MAX

export const infixSearch = setting<InfixSearch | null, InfixSearchPatch>()({
  code: 'invalid_settings_infix_search',
  advice: `send \`{"attributes": […], "minLength": …}\`, ${INFIX_LENGTH_MIN} to ${INFIX_LENGTH_MAX} characters, or null.`,
  change: 'whole',
  default: null,
  stored: nullable(
    object<InfixSearch>({
      attributes: texts,
      minLength: countBetween(INFIX_LENGTH_MIN, INFIX_LENGTH_MAX),
    }),
  ),
  merge: (_, { attributes, minLength = INFIX_LENGTH_MIN }) => ({
    attributes: [...new Set(attributes)],
    minLength,
  }),
  isLeftOutUnlessSet: true,
  fieldNames: (value) => value?.attributes ?? [],
  handles: { layer: 'text', how: isCovered },
})

/** Returns whether query words are looked for inside of the words of a field. */
export const isInfixSearched = (
  { infixSearch }: { readonly infixSearch: InfixSearch | null },
  field: string,
): boolean => isCovered(infixSearch, field)

function isCovered(value: InfixSearch | null, field: string): boolean {
  return value?.attributes.some((name) => covers(name, field)) ?? false
}
