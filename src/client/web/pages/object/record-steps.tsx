/** Steps to the records before and behind the open one, by buttons and by `j` and `k`. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import type { Schemas } from '../../api/wire.ts'
import { addressOf, go, place } from '../../state/address.ts'
import { holdShortcuts } from '../../state/keys.ts'
import { findNeighbours, type Neighbour, type Neighbours } from '../../state/neighbours.ts'
import { openedFrom } from '../../state/opened-from.ts'
import { Icon } from '../../parts/icon.tsx'

type Way = keyof Neighbours

/** The button that was pressed: it has the focus again in the record that it leads to. */
let pressed: Way | undefined

interface StepsProps {
  metadata: Schemas['MetadataResult']
  parts: readonly string[]
}

/** Draws both buttons where the record was opened from a grid. */
export function RecordSteps({ metadata, parts }: StepsProps) {
  const found = useSignal<Neighbours | undefined>(undefined)
  const frame = useRef<HTMLSpanElement>(null)
  const from = openedFrom.value
  const asked = JSON.stringify([parts, from])
  useEffect(() => {
    if (!from) return
    findNeighbours(metadata, parts, from).then(
      (neighbours) => (found.value = neighbours),
      // Without them there is no step; the record itself tells what is wrong.
      () => (found.value = undefined),
    )
  }, [metadata, asked])
  const step = (way: Way): void => {
    const neighbour = found.peek()?.[way]
    if (neighbour) go(addressOfStep(metadata.Slug, neighbour), { replace: true })
  }
  useEffect(() => {
    frame.current?.querySelector<HTMLElement>(`[data-way=${pressed ?? 'none'}]`)?.focus()
    pressed = undefined
    const reason = (way: Way) => () => (found.value?.[way] ? undefined : say('stepNone'))
    return holdShortcuts([
      {
        keys: ['j'],
        label: () => say('stepNext'),
        where: 'record',
        reason: reason('next'),
        run: () => step('next'),
      },
      {
        keys: ['k'],
        label: () => say('stepPrevious'),
        where: 'record',
        reason: reason('previous'),
        run: () => step('previous'),
      },
    ])
  }, [asked])
  if (!from) return null
  const button = (way: Way, label: string, icon: string) => (
    <button
      type="button"
      class="icon-button"
      data-way={way}
      title={label}
      aria-label={label}
      aria-disabled={found.value?.[way] === undefined}
      onClick={() => {
        pressed = way
        step(way)
      }}
    >
      <Icon name={icon} isTurned />
    </button>
  )
  return (
    <span class="record-steps" ref={frame}>
      {button('previous', say('stepPrevious'), 'chevron-left')}
      {button('next', say('stepNext'), 'chevron-right')}
    </span>
  )
}

/** The neighbour as the present record is shown: with its panel, its tab, its grid. */
const addressOfStep = (slug: string, { key, at }: Neighbour): string =>
  addressOf(['object', slug, ...key], {
    ...Object.fromEntries(place.peek().query),
    at: String(at),
  })
