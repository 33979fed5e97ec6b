// Filters from ticked values and ranges. Facets of objects in one list, such as `variants.color` and
// `variants.size`, make one condition on one object.

/** A range with both ends included; null means no limit. */
export type Range = { readonly low: number | null; readonly high: number | null }

/** The refined facets. */
export type Refined = {
  /** Ticked values by facet; a document must have at least one of them. */
  readonly ticked: ReadonlyMap<string, ReadonlySet<string>>
  readonly ranges: ReadonlyMap<string, Range>
}

/** Returns the ticked values after a change of one of them. */
export function withTick(
  { ticked }: Refined,
  facet: string,
  value: string,
  isOn: boolean,
): Refined['ticked'] {
  const values = new Set(ticked.get(facet))
  if (isOn) values.add(value)
  else values.delete(value)
  return new Map([...ticked, [facet, values]])
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`

/** The names of refined facets, in the order in which their conditions are sent. */
export function refinedFacets({ ticked, ranges }: Refined): readonly string[] {
  const isTicked = [...ticked].filter(([, values]) => values.size > 0)
  const isLimited = [...ranges].filter(([, { low, high }]) => low !== null || high !== null)
  return [...new Set([...isTicked, ...isLimited].map(([facet]) => facet))]
}

/** Returns the condition of a refined facet; `name`: how its field is called where that stands. */
function conditionOf({ ticked, ranges }: Refined, facet: string, name: string): string {
  const values = ticked.get(facet) ?? new Set()
  const { low, high } = ranges.get(facet) ?? { low: null, high: null }
  return [
    ...(values.size === 0 ? [] : [`${quoted(name)} IN [${[...values].map(quoted).join(', ')}]`]),
    ...(low === null ? [] : [`${quoted(name)} >= ${low}`]),
    ...(high === null ? [] : [`${quoted(name)} <= ${high}`]),
  ].join(' AND ')
}

/** The object that a facet is in, or '' for one of the document itself. */
const holderOf = (facet: string): string => facet.slice(0, Math.max(0, facet.lastIndexOf('.')))
const nameIn = (holder: string, facet: string): string =>
  holder === '' ? facet : facet.slice(holder.length + 1)

/** Refined facets by the object that they are in. */
export function elementFacets(refined: Refined): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>()
  for (const facet of refinedFacets(refined)) {
    const holder = holderOf(facet)
    if (holder !== '') groups.set(holder, [...(groups.get(holder) ?? []), facet])
  }
  return groups
}

/** Returns the filters of all refined facets but `without`; a document must pass all of them. */
export function filterOf(refined: Refined, without = ''): readonly string[] {
  const own = refinedFacets(refined).filter((facet) => facet !== without && holderOf(facet) === '')
  const filters = own.map((facet) => conditionOf(refined, facet, facet))
  for (const [holder, facets] of elementFacets(refined)) {
    const conditions = facets
      .filter((facet) => facet !== without)
      .map((facet) => conditionOf(refined, facet, nameIn(holder, facet)))
    if (conditions.length > 0) filters.push(`${quoted(holder)}[${conditions.join(' AND ')}]`)
  }
  return filters
}

/** Returns the refined facets whose condition stands in brackets with those of others. */
export const joinedFacets = (refined: Refined): readonly string[] =>
  [...elementFacets(refined).values()].filter(({ length }) => length > 1).flat()

/** Values are compared as the server compares them: without case and marks. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()

/**
 * Returns the objects in lists that meet the condition of their facets: their places in the
 * document, such as `variants/2`.
 */
export function matchingElements(
  refined: Refined,
  document: { readonly [field: string]: unknown },
): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [holder, facets] of elementFacets(refined)) {
    for (const [place, element] of elementsAt(document, holder.split('.'), '')) {
      const passes = facets.every((facet) => meets(refined, facet, element[nameIn(holder, facet)]))
      if (passes) found.add(place)
    }
  }
  return found
}

type Member = { readonly [name: string]: unknown }

/** Returns the objects in lists at a path, with their places. */
function elementsAt(
  value: unknown,
  [name, ...rest]: readonly string[],
  place: string,
): readonly (readonly [place: string, element: Member])[] {
  if (Array.isArray(value)) {
    const inside = value.map((one, i) => [placeIn(place, i), one] as const)
    if (name !== undefined)
      return inside.flatMap(([at, one]) => elementsAt(one, [name, ...rest], at))
    return inside.flatMap(([at, one]) =>
      Array.isArray(one) ? elementsAt(one, [], at) : isObject(one) ? [[at, one] as const] : [],
    )
  }
  if (!isObject(value) || name === undefined) return []
  return elementsAt(value[name], rest, placeIn(place, name))
}

export const placeIn = (place: string, member: string | number): string =>
  place === '' ? String(member) : `${place}/${member}`

const isObject = (value: unknown): value is Member => typeof value === 'object' && value !== null

function meets({ ticked, ranges }: Refined, facet: string, value: unknown): boolean {
  const values = (Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value]).filter(
    (one) => one !== null && typeof one !== 'object' && one !== undefined,
  )
  const wanted = new Set([...(ticked.get(facet) ?? [])].map(folded))
  const { low, high } = ranges.get(facet) ?? { low: null, high: null }
  const isWithin = (one: unknown, test: (number: number) => boolean): boolean =>
    typeof one === 'number' && test(one)
  return (
    (wanted.size === 0 || values.some((one) => wanted.has(folded(String(one))))) &&
    (low === null || values.some((one) => isWithin(one, (number) => number >= low))) &&
    (high === null || values.some((one) => isWithin(one, (number) => number <= high)))
  )
}
