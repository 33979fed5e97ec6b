// The pages of docs/ as a static web site: one HTML file per page, with the contents at the side
// and links to the previous and the next page. Only its search needs a server and a script.
import { posix } from 'node:path'
import { escapeHtml, htmlOf } from './markdown.ts'
import { LLMS_FILE, llmsText, withoutFooter } from './navigation.ts'
import { PAGES, SECTIONS, START_PAGE } from './pages.table.ts'
import { SITE_STYLE } from './site-style.table.ts'

/** Base address of files of the repository that are not pages. */
export const REPOSITORY = 'https://github.com/svc-search/svc-search/blob/main/'
const STYLE_FILE = 'style.css'
/** Name of the script of the search box. */
export const SEARCH_SCRIPT = 'search.js'
const NAME = 'Svc Search'

/** The server that the search box asks. */
export type SiteSearch = {
  readonly url: string
  /** May only search, because everybody can read it; null for a server without keys. */
  readonly key: string | null
}

/**
 * Returns the text of each file. `read` returns the text of a page by its name in docs/. Without
 * `search` pages have no search box.
 */
export function siteOf(
  read: (page: string) => string,
  search: SiteSearch | null = null,
): Map<string, string> {
  const files = new Map([
    [STYLE_FILE, SITE_STYLE.trimStart()],
    [LLMS_FILE, llmsText()],
  ])
  for (const file of [START_PAGE, ...PAGES.map((page) => page.file)]) {
    files.set(htmlName(file), pageOf(file, read(file), search))
  }
  return files
}

export const htmlName = (file: string): string =>
  file === START_PAGE ? 'index.html' : file.replace(/\.md$/, '.html')

const IS_PAGE = new Set([START_PAGE, ...PAGES.map(({ file }) => file)])

/** Returns the address on the site for a link of the page `from`. */
export function siteLink(href: string, from = START_PAGE): string {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const end = anchor === undefined ? '' : `#${anchor}`
  const target = posix.join(posix.dirname(from), path)
  if (IS_PAGE.has(target)) return `${toFile(from, htmlName(target))}${end}`
  if (target.startsWith('images/')) return toFile(from, target)
  return `${REPOSITORY}${posix.join('docs', target)}${end}`
}

const toFile = (from: string, file: string): string => posix.relative(posix.dirname(from), file)

function pageOf(file: string, text: string, search: SiteSearch | null): string {
  const title = PAGES.find((page) => page.file === file)?.title ?? 'Documentation'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ${NAME}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${toFile(file, STYLE_FILE)}">
${search === null ? '' : searchTag(file, search)}</head>
<body>
<div class="frame">
${navigation(file)}
<main>
${htmlOf(withoutFooter(text), (href) => siteLink(href, file))}
${turn(file)}
</main>
</div>
</body>
</html>
`
}

function searchTag(file: string, { url, key }: SiteSearch): string {
  const keyed = key === null ? '' : ` data-key="${escapeHtml(key)}"`
  const script = toFile(file, SEARCH_SCRIPT)
  return `<script src="${script}" data-server="${escapeHtml(url)}"${keyed} defer></script>\n`
}

/** Returns the navigation: open on wide screens; a line that opens it on narrow ones. */
function navigation(current: string): string {
  const sections = SECTIONS.map(({ title, pages }) => {
    const items = pages.map((page) => {
      const here = page.file === current ? ' aria-current="page"' : ''
      return `<li><a href="${toFile(current, htmlName(page.file))}"${here}>${escapeHtml(page.title)}</a></li>`
    })
    return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>`
  })
  const home = `<a class="home" href="${toFile(current, htmlName(START_PAGE))}">${NAME}</a>`
  return `<nav aria-label="Contents">
<div>${home}
<input type="checkbox" id="menu" aria-label="Show the contents"><label for="menu">Contents</label>
<div class="menu">
${sections.join('\n')}
</div>
</div>
</nav>`
}

function turn(file: string): string {
  const at = PAGES.findIndex((page) => page.file === file)
  const link = (page: (typeof PAGES)[number] | undefined, text: (title: string) => string) =>
    page === undefined
      ? '<span></span>'
      : `<a href="${toFile(file, htmlName(page.file))}">${text(escapeHtml(page.title))}</a>`
  const before = at > 0 ? PAGES[at - 1] : undefined
  const after = link(PAGES[at + 1], (title) => `${title} →`)
  return `<div class="turn">${link(before, (title) => `← ${title}`)}${after}</div>`
}
