/** The chip of jobs that run or have ended unseen, and the popover of their panel. */
import { useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatNumber, say } from '../../texts/texts.ts'
import type { CallerUser } from '../../api/tokens.ts'
import { activeJobs, followJobs, isJobPanelOpen, stageOf, unseenJobs } from '../../state/jobs.ts'
import { Icon } from '../icon.tsx'
import type { JobPanel } from './job-panel.tsx'

/** The state that a chip tells, and the number of its jobs. */
interface Told {
  tone: 'running' | 'failed' | 'done'
  count: number
}

const TEXTS = { running: 'jobsRunning', failed: 'jobsFailed', done: 'jobsDone' } as const
const ICONS = { running: 'refresh', failed: 'warning', done: 'check-circle' } as const

/** How much runs, else what has ended unseen; undefined where there is nothing to tell. */
function findTold(): Told | undefined {
  const running = activeJobs.value.length
  if (running > 0) return { tone: 'running', count: running }
  const ended = unseenJobs.value
  const failed = ended.filter((job) => stageOf(job) === 'failed').length
  if (failed > 0) return { tone: 'failed', count: failed }
  return ended.length > 0 ? { tone: 'done', count: ended.length } : undefined
}

/** The chip stays while its panel is open; where it goes with it, the bell takes the focus. */
function useChip(): Told | undefined {
  const last = useRef<Told>(undefined)
  const told = findTold()
  const isOpen = isJobPanelOpen.value
  useEffect(() => {
    if (isOpen || told || !last.current) return
    last.current = undefined
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>('.bell')?.focus()
  }, [isOpen, told === undefined])
  if (told) last.current = told
  return told ?? (isOpen ? last.current : undefined)
}

/** Draws the chip, and the panel that it opens. */
export function JobChip({ user }: { user: CallerUser }) {
  const panel = useRef<HTMLDivElement>(null)
  const Panel = useSignal<typeof JobPanel | undefined>(undefined)
  useEffect(() => followJobs(user), [user.Id, user.Company.Id, user.Impersonator?.Id])
  useSignalEffect(() => {
    if (isJobPanelOpen.value && panel.current?.matches(':popover-open') === false)
      panel.current.showPopover()
  })
  const chip = useChip()
  const text = chip && say(TEXTS[chip.tone], { count: chip.count })
  return (
    <>
      <span class="sr-only" role="status">
        {text}
      </span>
      {chip && (
        <button
          type="button"
          class="job-chip"
          data-tone={chip.tone}
          popovertarget="jobs"
          title={say('jobs')}
        >
          <Icon name={ICONS[chip.tone]} />
          <span class="job-chip-text">{text}</span>
          <span class="job-chip-count" aria-hidden="true">
            {formatNumber(chip.count)}
          </span>
        </button>
      )}
      <div
        ref={panel}
        id="jobs"
        class="notification-panel job-panel"
        popover="auto"
        role="dialog"
        aria-label={say('jobs')}
        tabIndex={-1}
        onToggle={async ({ newState }) => {
          isJobPanelOpen.value = newState === 'open'
          if (newState !== 'open') return
          Panel.value ??= (await import('./job-panel.tsx')).JobPanel
          panel.current?.focus()
        }}
      >
        {Panel.value && isJobPanelOpen.value && (
          <Panel.value onClose={() => panel.current?.hidePopover()} />
        )}
      </div>
    </>
  )
}
