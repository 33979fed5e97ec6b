// A headless Chromium for tests of pages: found in the usual places, started with an empty profile,
// limited to this machine, ended with all its processes.
import { existsSync } from 'node:fs'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

/** Paths of the systems' packages; the variable has priority. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
] as const

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
] as const

const ACTION_MS_MAX = 15_000

/** Returns the program: `SVC_CHROMIUM`, or the first usual path that exists, or null. */
function chromiumPath(): string | null {
  const given = process.env['SVC_CHROMIUM']
  if (given !== undefined && given !== '') return existsSync(given) ? given : null
  return PLACES.find((place) => existsSync(place)) ?? null
}

/** Returns whether there is a browser; prints which tests are skipped without one. */
export function hasChromium(what: string): boolean {
  if (chromiumPath() !== null) return true
  process.stderr.write(
    `\nSKIPPED: ${what}: there is no Chromium. Install one, or name it in SVC_CHROMIUM.\n\n`,
  )
  return false
}

export type BrowserOptions = {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
}

export type Browser = {
  readonly context: BrowserContext
  /** Opens a page whose console, failures and requests are recorded. */
  readonly open: (url: string) => Promise<WatchedPage>
  readonly close: () => Promise<void>
}

export type WatchedPage = {
  readonly page: Page
  /** Errors and warnings of the console, uncaught failures, failed requests. */
  readonly complaints: string[]
  /** Every requested address. */
  readonly requests: string[]
  /** Closes the page. @throws if there were complaints */
  readonly close: () => Promise<void>
}

/** Starts a browser with an empty profile. @throws if there is no browser */
export async function openBrowser(options: BrowserOptions = {}): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === null) throw new Error('there is no Chromium on this machine')
  const { width = 1280, height = 900, colorScheme = 'light' } = options
  // An empty path means a new folder, which is removed with the browser.
  const context = await chromium.launchPersistentContext('', {
    executablePath,
    headless: true,
    chromiumSandbox: false,
    args: [...FLAGS],
    viewport: { width, height },
    colorScheme,
  })
  context.setDefaultTimeout(ACTION_MS_MAX)
  return {
    context,
    open: (url) => openPage(context, url),
    close: () => context.close(),
  }
}

async function openPage(context: BrowserContext, url: string): Promise<WatchedPage> {
  const page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => {
    const type = message.type()
    if (type === 'error' || type === 'warning') complaints.push(`${type}: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(url)
  const close = async (): Promise<void> => {
    await page.close()
    if (complaints.length > 0) throw new Error(`the browser complained: ${complaints.join(', ')}`)
  }
  return { page, complaints, requests, close }
}
