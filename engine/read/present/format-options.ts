// The formatting options of a request, by the names of texts (docs/search-semantics.md#formatting).

/** The members of a request that control `_formatted`. */
export type FormatRequest = {
  readonly attributesToHighlight: readonly string[] | null
  /** `name` or `name:words`; `*` means all displayed names. */
  readonly attributesToCrop: readonly string[] | null
  readonly cropLength: number
  readonly cropMarker: string
  readonly highlightPreTag: string
  readonly highlightPostTag: string
  /** Languages of the texts as three-letter codes; null for those of the settings. */
  readonly locales: readonly string[] | null
}

/** The format of a text. */
export type TextFormat = {
  readonly highlight: boolean
  /** Number of words to crop to; 0 means no cropping. */
  readonly cropWords: number
}

const PLAIN: TextFormat = { highlight: false, cropWords: 0 }

/** The options requested for one name. */
type Entry = {
  highlight: boolean
  crop: Crop | null
}
/** `at`: position of the option; of several options the first one applies. */
type Crop = { readonly words: number; readonly at: number }

export class FormatOptions {
  /** Displayed names that the request mentions. */
  readonly names = new Set<string>()
  readonly #own = new Map<string, Entry>()
  /** By each of `names` and each of its parents: the combined options of those names. */
  readonly #below = new Map<string, Entry>()

  /** `displayed`: names in the order of field ids; other names are ignored. */
  constructor(request: FormatRequest, displayed: Iterable<string>) {
    const highlighted = new Set(request.attributesToHighlight ?? [])
    const crops = cropsOf(request)
    if (highlighted.size === 0 && crops.size === 0) return
    const allCrop = crops.get('*')
    let at = 0
    for (const name of displayed) {
      const highlight = highlighted.has('*') || highlighted.has(name)
      const own = crops.get(name)
      const crop =
        own === undefined || (allCrop !== undefined && allCrop.at > own.at) ? allCrop : own
      if (!highlight && crop === undefined) continue
      this.#add(name, highlight, crop === undefined ? null : { words: crop.words, at: at++ })
    }
  }

  /**
   * Returns the format of texts under `name`: the combined options of its parents, of itself, and
   * of names nested in it.
   */
  textFormat(name: string): TextFormat {
    const below = this.#below.get(name)
    let highlight = below?.highlight ?? false
    let crop = below?.crop ?? null
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const above = this.#own.get(name.slice(0, dot))
      if (above === undefined) continue
      highlight ||= above.highlight
      crop = firstOf(crop, above.crop)
    }
    if (!highlight && crop === null) return PLAIN
    return { highlight, cropWords: crop?.words ?? 0 }
  }

  #add(name: string, highlight: boolean, crop: Crop | null): void {
    this.names.add(name)
    this.#own.set(name, { highlight, crop })
    for (let end = name.length; end >= 0; end = end === 0 ? -1 : name.lastIndexOf('.', end - 1)) {
      const above = name.slice(0, end)
      const entry = this.#below.get(above)
      if (entry === undefined) this.#below.set(above, { highlight, crop })
      else {
        entry.highlight ||= highlight
        entry.crop = firstOf(entry.crop, crop)
      }
    }
  }
}

function firstOf(a: Crop | null, b: Crop | null): Crop | null {
  if (a === null || b === null) return a ?? b
  return a.at < b.at ? a : b
}

/**
 * Options by name; of several entries for one name the last applies. `at`: position of the entry.
 */
function cropsOf({ attributesToCrop, cropLength }: FormatRequest): Map<string, Crop> {
  const crops = new Map<string, Crop>()
  attributesToCrop?.forEach((entry, at) => {
    const colon = entry.lastIndexOf(':')
    const digits = colon < 0 ? '' : entry.slice(colon + 1)
    const words = /^\+?[0-9]+$/.test(digits) ? Number(digits) : cropLength
    crops.set(colon < 0 ? entry : entry.slice(0, colon), { words, at })
  })
  return crops
}
