// The placeholders in a rest embedder's `request` and `response`: where they are, and that they fit
// together. A `{{..}}` after a placeholder in an array says that the array is repeated once for
// every text.

const REPEAT = '{{..}}'

/** Where the one placeholder is, or what is wrong. */
type Found =
  | { readonly kind: 'found'; readonly repeated: boolean }
  | { readonly kind: 'problem'; readonly path: string; readonly text: string }

const DOCUMENT_NOTE =
  '\n  - Note: this template is using a document template, and so expects to contain the ' +
  'placeholder "{{text}}" rather than "{{fragment}}"'
const FRAGMENT_NOTE =
  '\n  - Note: this template is using fragments, and so expects to contain the placeholder ' +
  '"{{fragment}}" rathern than "{{text}}"'

/**
 * Whether fragments feed the request: yes, no, or not known while the stored ones are not looked
 * at.
 */
export type FragmentUse = 'fragments' | 'document' | 'unknown'

/**
 * What is wrong with the templates of a rest embedder, or null. `undefined` stands for a template
 * that is not at hand: what needs it is not checked.
 */
export function restTemplateProblem(
  request: unknown,
  response: unknown,
  use: FragmentUse,
): string | null {
  const asked = request === undefined ? null : requestPlaceholder(request, use)
  if (asked?.kind === 'problem') return `in \`${asked.path}\`: ${asked.text}`
  if (response === undefined) return null
  const answered = findPlaceholder(response, '{{embedding}}', 'response')
  if (answered.kind === 'problem') return `in \`${answered.path}\`: ${answered.text}`
  if (asked === null || asked.repeated === answered.repeated) return null
  return asked.repeated
    ? 'in `response`: `response` has a single embedding, but `request` has multiple texts to embed'
    : 'in `response`: `response` has multiple embeddings, but `request` has only one text to embed'
}

const requestPlaceholder = (request: unknown, use: FragmentUse): Found => {
  if (use === 'fragments')
    return noted(findPlaceholder(request, '{{fragment}}', 'request'), FRAGMENT_NOTE)
  const text = findPlaceholder(request, '{{text}}', 'request')
  if (text.kind === 'found') return text
  if (use === 'unknown') {
    const fragment = findPlaceholder(request, '{{fragment}}', 'request')
    if (fragment.kind === 'found') return fragment
  }
  return noted(text, DOCUMENT_NOTE)
}

const noted = (found: Found, note: string): Found =>
  found.kind === 'problem' ? { ...found, text: found.text + note } : found

type Search = {
  readonly placeholder: string
  /** Path of the placeholder once it was met. */
  at: string | null
  /** Path of an array that is repeated, or null. */
  repeatedAt: string | null
}

const findPlaceholder = (template: unknown, placeholder: string, name: string): Found => {
  const search: Search = { placeholder, at: null, repeatedAt: null }
  const problem = visit(search, template, name, null)
  if (problem !== null) return problem
  if (search.at === null) {
    return { kind: 'problem', path: name, text: `"${placeholder}" not found` }
  }
  const repeated = search.repeatedAt !== null && search.at.startsWith(`${search.repeatedAt}[0]`)
  return { kind: 'found', repeated }
}

/** Depth is bounded by the JSON reader. `place` is the position in an array, null elsewhere. */
const visit = (
  search: Search,
  value: unknown,
  path: string,
  place: { readonly array: string; readonly index: number } | null,
): Found | null => {
  if (value === REPEAT) return visitRepeat(search, path, place)
  if (value === search.placeholder) {
    if (search.at !== null) {
      const text = `Found "${search.placeholder}", but it was already present in \`${search.at}\``
      return { kind: 'problem', path, text }
    }
    search.at = path
    return null
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const problem = visit(search, value[index], `${path}[${index}]`, { array: path, index })
      if (problem !== null) return problem
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [member, inner] of Object.entries(value)) {
      const problem = visit(search, inner, `${path}.${member}`, null)
      if (problem !== null) return problem
    }
  }
  return null
}

const visitRepeat = (
  search: Search,
  path: string,
  place: { readonly array: string; readonly index: number } | null,
): Found | null => {
  if (place === null) {
    return { kind: 'problem', path, text: `"${REPEAT}" appears outside of an array` }
  }
  if (place.index !== 1) {
    const text = `"${REPEAT}" expected at position #1, but found at position #${place.index}`
    return { kind: 'problem', path: place.array, text }
  }
  if (search.repeatedAt !== null) {
    const text = `Found "${REPEAT}", but it was already present in \`${search.repeatedAt}\``
    return { kind: 'problem', path, text }
  }
  search.repeatedAt = place.array
  return null
}
