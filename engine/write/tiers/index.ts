// Which segments of a layer become one, judged by their sizes?
export {
  BUSY,
  deadShare,
  IDLE,
  likeRun,
  liveBytes,
  TAKE_OVER,
  type Weighed,
} from './tiers.ts'
