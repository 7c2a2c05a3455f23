/** The place of the chip of jobs in the frame: it loads behind the place. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CallerUser } from '../../api/tokens.ts'
import type { JobChip } from './job-chip.tsx'

/** The place comes first: what runs in the background can wait. */
const LATER_MS = 1500

const loaded = signal<typeof JobChip | undefined>(undefined)

async function load(): Promise<void> {
  loaded.value ??= (await import('./job-chip.tsx')).JobChip
}

/** Opens the panel of jobs. */
export async function openJobs(): Promise<void> {
  await load()
  const { isJobPanelOpen } = await import('../../state/jobs.ts')
  isJobPanelOpen.value = true
}

/** Draws the chip for a user. */
export function JobHost({ user }: { user: CallerUser }) {
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), LATER_MS)
    return () => clearTimeout(timer)
  }, [])
  const Chip = loaded.value
  return Chip ? <Chip user={user} /> : null
}
