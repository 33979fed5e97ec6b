// What does a person see who opens a page in a browser?
export {
  type Browser,
  type BrowserOptions,
  chromiumPath,
  hasChromium,
  openBrowser,
  type WatchedPage,
} from './chromium.ts'
