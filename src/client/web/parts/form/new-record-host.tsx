/** The dialogs of records that fields asked for, one over the other; they load with the first. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { say } from '../../texts/texts.ts'
import { endNewRecord, newRecords } from '../../state/new-records.ts'
import { notify } from '../../state/notices.ts'
import type { NewRecordDialog } from './new-record-dialog.tsx'

const loaded = signal<typeof NewRecordDialog | undefined>(undefined)

/** Draws the dialogs that are open. */
export function NewRecordHost() {
  const asked = newRecords.value
  useEffect(() => {
    if (asked.length === 0 || loaded.value) return
    import('./new-record-dialog.tsx').then(
      (part) => (loaded.value = part.NewRecordDialog),
      () => {
        newRecords.value = []
        notify(say('unexpected'), 'error')
      },
    )
  }, [asked.length])
  const Part = loaded.value
  if (!Part) return null
  return (
    <>
      {asked.map((each, at) => (
        <Part key={at} asked={each} onClose={() => endNewRecord(each)} />
      ))}
    </>
  )
}
