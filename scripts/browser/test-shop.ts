// The products of a fictional shop: documents for tests of pages. Each document follows from its
// number.

export type Ware = {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly brand: string
  readonly category: string
  readonly colours: readonly string[]
  readonly price: number
  readonly stars: number
}

const THINGS = [
  ['Lantern', 'light', 'throws a warm light on the table and folds flat for the journey'],
  ['Teapot', 'kitchen', 'keeps three cups hot while the rain goes on outside'],
  ['Armchair', 'living', 'has room for one reader and one cat'],
  ['Blanket', 'living', 'is woven from long fibres and forgives many winters'],
  ['Notebook', 'desk', 'lies open by itself and takes ink without bleeding'],
  ['Telescope', 'outdoors', 'brings the rings of the distant planet into the garden'],
  ['Kettle', 'kitchen', 'boils water before the bread is cut'],
  ['Bookshelf', 'living', 'stands without a single screw and carries more than it shows'],
  ['Compass', 'outdoors', 'finds north in any weather, even under a pylon'],
  ['Lamp', 'light', 'can be dimmed until only the page is bright'],
] as const
const STYLES = ['Copper', 'Walnut', 'Linen', 'Enamel', 'Granite', 'Birch', 'Velvet'] as const
const BRANDS = ['Albrecht', 'Fjordlys', 'Maison Petit', 'Ostwind'] as const
const COLOURS = ['red', 'green', 'blue', 'sand', 'black'] as const

export const WARES_COUNT = 210

/** Returns every style of every thing three times, cheap and expensive. */
export const wares = (): readonly Ware[] => Array.from({ length: WARES_COUNT }, (_, id) => ware(id))

function ware(id: number): Ware {
  const [thing, category, text] = THINGS[id % THINGS.length]!
  const style = STYLES[id % STYLES.length]!
  const edition = 1 + Math.floor(id / 70)
  return {
    id,
    name: `${style} ${thing}${edition === 1 ? '' : ` No. ${edition}`}`,
    description: `This ${thing.toLowerCase()} ${text}.`,
    brand: BRANDS[(id * 7) % BRANDS.length]!,
    category,
    colours: [COLOURS[Math.floor(id / 3) % 5]!, COLOURS[Math.floor(id / 7) % 5]!].filter(
      (colour, i, all) => all.indexOf(colour) === i,
    ),
    price: 5 + ((id * 37) % 400),
    stars: 1 + ((id * 3) % 5),
  }
}

export const SHOP_SETTINGS = {
  searchableAttributes: ['name', 'brand', 'description'],
  filterableAttributes: ['brand', 'category', 'colours', 'price', 'stars'],
  sortableAttributes: ['price', 'stars'],
} as const
