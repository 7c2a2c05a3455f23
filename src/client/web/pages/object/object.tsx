/** An object: its rows in a grid. */
import { useSignal, useSignalEffect } from '@preact/signals'
import { say } from '../../texts/texts.ts'
import { type Schemas, take, wire } from '../../api/wire.ts'
import { addressOf, place } from '../../state/address.ts'
import { Fault } from '../../parts/fault.tsx'
import { RowGrid } from '../../parts/grid/row-grid.tsx'
import { RecordPlace } from './record.tsx'

/** The place `/object/{slug}`. */
export function ObjectPlace() {
  const metadata = useSignal<Schemas['MetadataResult'] | undefined>(undefined)
  const fault = useSignal<unknown>(undefined)
  const name = place.value.path[1] ?? ''
  useSignalEffect(() => {
    const asked = place.value.path[1] ?? ''
    take(
      wire.GET('/api/v1/svc/object/{name}/metadata', { params: { path: { name: asked } } }),
    ).then(
      (found) => (metadata.value = found),
      (thrown: unknown) => (fault.value = thrown),
    )
  })
  if (fault.value !== undefined) return <Fault of={fault.value} />
  const found = metadata.value
  if (found?.Slug !== name && found?.Name.toLowerCase() !== name)
    return <div class="empty quiet">{say('loading')}</div>
  const [, , ...parts] = place.value.path
  if (parts.length > 0)
    return (
      <RecordPlace
        key={parts.join('/')}
        metadata={found}
        parts={parts[0] === 'new' && parts.length === 1 ? [] : parts}
      />
    )
  return (
    <>
      <header class="place-head">
        <h1>{found.Label}</h1>
        <span class="grow" />
        <a class="button primary" href={addressOf(['object', found.Slug, 'new'])}>
          {say('create')}
        </a>
      </header>
      <div class="place-body">
        <RowGrid metadata={found} key={found.Slug} />
      </div>
    </>
  )
}
