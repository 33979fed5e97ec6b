// How do the pages behave in a real browser?
export {
  type Browser,
  hasChromium,
  openBrowser,
  type WatchedPage,
} from './chromium.ts'
