/** The tree of places, as the model has it for this caller, with badges that stay current. */
import '@vaadin/side-nav/vaadin-side-nav.js'
import { addressOfNode, badges, shownNodes } from '../../state/navbar.ts'
import { place } from '../../state/address.ts'
import { Icon } from '../../parts/icon.tsx'
import { type Schemas } from '../../api/wire.ts'

type Node = Schemas['NavbarNode']

/** Draws the tree; the branch of the place that is shown is open. */
export function Navbar() {
  return <vaadin-side-nav>{shownNodes.value.map((node) => drawNode(node))}</vaadin-side-nav>
}

function drawNode(node: Node, slot?: string) {
  const address = addressOfNode(node)
  const isOpen = node.Children.some((child) => holdsPlace(child))
  return (
    <vaadin-side-nav-item
      key={node.Name}
      {...(slot !== undefined && { slot })}
      {...(address !== undefined && { path: address })}
      expanded={isOpen || undefined}
      matchNested
    >
      <Icon name={node.Icon ?? 'circle'} slot="prefix" />
      {node.Label}
      <Badge name={node.Name} />
      {node.Children.map((child) => drawNode(child, 'children'))}
    </vaadin-side-nav-item>
  )
}

const holdsPlace = (node: Node): boolean =>
  addressOfNode(node) === `/${place.value.path.slice(0, 2).join('/')}` ||
  node.Children.some(holdsPlace)

function Badge({ name }: { name: string }) {
  const badge = badges.value[name]
  if (!badge || badge.Value === false || badge.Value === 0) return null
  return badge.Kind === 'Dot' ? (
    <span slot="suffix" class="badge-dot" role="img" aria-label="•" />
  ) : (
    <span slot="suffix" class="badge-count">
      {String(badge.Value)}
    </span>
  )
}
