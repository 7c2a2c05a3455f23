/**
 * The lines of a grid that are in sight. A million lines are higher than browsers draw: their body
 * is as high as these can, small steps of a scroll move by lines, and large ones by their share.
 */
import { batch, computed, signal } from '@preact/signals'

/** Lines above and below the ones in sight that are drawn, too. */
const SPARE_LINES = 5

/** The highest body that every browser draws, in pixels. */
const BODY_MAX = 15_000_000

/** A scroll has come to rest after this long. */
const REST_MS = 200

/** The lines in sight of one grid. */
export class Sight {
  readonly first = signal(0)
  /** The line behind the last that is drawn. */
  readonly last = signal(0)
  /** Where the first line that is drawn stands in the body, in pixels. */
  readonly shift = signal(0)
  /** The width of the frame, in pixels. */
  readonly width = signal(0)
  /** How far the frame is scrolled sideways, in pixels from where lines begin. */
  readonly left = signal(0)
  readonly isAside = computed(() => this.left.value > 0)
  /** Listens to a scroll that has come to rest; it is told the first line in sight. */
  onRest: ((line: number) => void) | undefined
  #frame: HTMLElement | undefined
  #lineHeight = 36
  #lines = 0
  #scrolled = 0
  /** How far the lines are scrolled, where they are higher than the body. */
  #top = 0
  /** Heights of the frame and of the sight in it, in pixels. */
  #measured: Readonly<{ frame: number; sight: number }> | undefined
  readonly #watch = new ResizeObserver(() => {
    this.width.value = this.#frame?.clientWidth ?? 0
    this.#measured = undefined
    this.#draw()
  })
  #resting: ReturnType<typeof setTimeout> | undefined

  /** Follows a frame that scrolls; returns what ends it. */
  follow(frame: HTMLElement): () => void {
    this.#frame = frame
    this.#measured = undefined
    this.#watch.observe(frame)
    frame.addEventListener('scroll', this.#scroll, { passive: true })
    this.#size()
    this.#scrollTo(this.#top)
    return () => {
      this.#watch.disconnect()
      frame.removeEventListener('scroll', this.#scroll)
      clearTimeout(this.#resting)
      this.#frame = undefined
    }
  }

  /** Takes the number of lines and their height in pixels. */
  setLines(lines: number, lineHeight: number): void {
    const line = this.#lineHeight === lineHeight ? undefined : this.#top / this.#lineHeight
    this.#lines = lines
    this.#lineHeight = lineHeight
    this.#measured = undefined
    this.#size()
    if (line !== undefined) this.show(Math.floor(line), 'start')
    this.#draw()
  }

  /** The body is as high as its lines: it has to be, before the frame can be scrolled that far. */
  #size(): void {
    const body = this.#frame?.querySelector<HTMLElement>('.grid-body')
    if (body) body.style.blockSize = `${this.#height}px`
  }

  get #height(): number {
    return Math.min(this.#lines * this.#lineHeight, BODY_MAX)
  }

  /** Scrolls so that a line is in sight, or the first in sight. */
  show(line: number, where: 'nearest' | 'start' = 'nearest'): void {
    const [top, sight] = [line * this.#lineHeight, this.#sightHeight]
    const below = top + this.#lineHeight - sight
    if (where === 'start' || top < this.#top) this.#scrollTo(top)
    else if (below > this.#top) this.#scrollTo(below)
  }

  /** Scrolls sideways to what begins this far from where lines begin, in pixels. */
  showLeft(left: number): void {
    const frame = this.#frame
    if (frame) frame.scrollLeft = document.documentElement.dir === 'rtl' ? -left : left
  }

  /** The first line in sight. */
  get line(): number {
    return Math.floor(this.#top / this.#lineHeight)
  }

  /** True for a line that is seen, in part at least. */
  isSeen(line: number): boolean {
    const top = line * this.#lineHeight
    return top + this.#lineHeight > this.#top && top < this.#top + this.#measure().frame
  }

  /** The lines that fit into sight. */
  get linesInSight(): number {
    return Math.max(1, Math.floor(this.#sightHeight / this.#lineHeight))
  }

  /** The height in which lines are seen: without the heads and the foot, which stay. */
  get #sightHeight(): number {
    return this.#measure().sight
  }

  /** Measures once until something may be another: each measure may cost a layout. */
  #measure(): Readonly<{ frame: number; sight: number }> {
    const frame = this.#frame
    if (!frame) return { frame: 0, sight: 0 }
    if (this.#measured) return this.#measured
    const stays = [...frame.querySelectorAll<HTMLElement>('.grid-heads, .grid-foot')]
    for (const each of stays) this.#watch.observe(each)
    const height = frame.clientHeight
    const sight = height - stays.reduce((sum, { offsetHeight }) => sum + offsetHeight, 0)
    this.#measured = { frame: height, sight }
    return this.#measured
  }

  get #isScaled(): boolean {
    return this.#lines * this.#lineHeight > BODY_MAX
  }

  /** How many pixels of lines one pixel of the body stands for. */
  get #scale(): number {
    const sight = this.#sightHeight
    return (this.#lines * this.#lineHeight - sight) / Math.max(1, this.#height - sight)
  }

  #scrollTo(top: number): void {
    const frame = this.#frame
    const most = Math.max(0, this.#lines * this.#lineHeight - this.#sightHeight)
    this.#top = Math.max(0, Math.min(most, top))
    if (!frame) return
    frame.scrollTop = this.#isScaled ? this.#top / this.#scale : this.#top
    this.#scrolled = frame.scrollTop
    this.#draw()
    this.#rest()
  }

  #scroll = (): void => {
    const frame = this.#frame
    if (frame) this.left.value = Math.abs(frame.scrollLeft)
    if (!frame || frame.scrollTop === this.#scrolled) return
    const step = frame.scrollTop - this.#scrolled
    this.#scrolled = frame.scrollTop
    const isSmall = Math.abs(step) < this.#sightHeight
    if (!this.#isScaled) this.#top = frame.scrollTop
    else if (isSmall) this.#top += step
    else this.#top = frame.scrollTop * this.#scale
    this.#draw()
    this.#rest()
  }

  /** At rest the body is moved to where its share of the lines is, which nobody sees. */
  #rest(): void {
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => {
      const frame = this.#frame
      if (!frame) return
      if (this.#isScaled) {
        frame.scrollTop = this.#top / this.#scale
        this.#scrolled = frame.scrollTop
        this.#draw()
      }
      this.onRest?.(this.line)
    }, REST_MS)
  }

  #draw(): void {
    const { line } = this
    const first = Math.max(0, Math.min(line, this.#lines - 1) - SPARE_LINES)
    const height = this.#measure().frame
    const last = Math.min(this.#lines, line + Math.ceil(height / this.#lineHeight) + SPARE_LINES)
    batch(() => {
      this.first.value = Math.max(0, first)
      this.last.value = last
      // The body stands where the frame is scrolled to; lines stand by how far they are scrolled.
      this.shift.value = Math.max(0, first) * this.#lineHeight - this.#top + this.#scrolled
    })
  }
}
