/** Words from which the names of fictitious firms and products are made. */

type Words = readonly [string, ...string[]]

export const FIRM_FIRST: Words = [
  'Alder',
  'Amber',
  'Anchor',
  'Birch',
  'Blackwater',
  'Bluestone',
  'Bridgeway',
  'Cedar',
  'Clearwater',
  'Cobalt',
  'Copperfield',
  'Crestline',
  'Eastgate',
  'Elmwood',
  'Fairwind',
  'Ferncliff',
  'Goldleaf',
  'Granite',
  'Greenfold',
  'Harbour',
  'Hawthorn',
  'Highmoor',
  'Ironbridge',
  'Juniper',
  'Kestrel',
  'Larkspur',
  'Limestone',
  'Longacre',
  'Maple',
  'Meadowbank',
  'Millrace',
  'Northgate',
  'Oakridge',
  'Pinecone',
  'Quarry',
  'Redbrick',
  'Riverside',
  'Sandstone',
  'Silverbirch',
  'Springhill',
  'Stonebow',
  'Thistle',
  'Tidewater',
  'Westfield',
  'Whitewater',
  'Willow',
  'Windmill',
  'Yellowstone',
]

export const FIRM_TRADE: Words = [
  'Building Supplies',
  'Carpentry',
  'Construction',
  'DIY Stores',
  'Electrical',
  'Facilities',
  'Fencing',
  'Flooring',
  'Gardens',
  'Glazing',
  'Hardware',
  'Heating',
  'Joinery',
  'Kitchens',
  'Landscaping',
  'Masonry',
  'Metalworks',
  'Painting',
  'Plumbing',
  'Roofing',
  'Shipyards',
  'Timber',
  'Tool Hire',
  'Workshops',
]

export const FIRM_FORM: Words = ['& Co', 'Group', 'Ltd', 'Partners', 'Trading', 'Works']

/** What is sold: group, its prefix in article numbers, things, and the sizes they come in. */
export const RANGES: readonly [ProductRange, ...ProductRange[]] = [
  {
    group: 'hand-tools',
    prefix: 'HT',
    things: ['Claw hammer', 'Chisel', 'Pliers', 'Screwdriver', 'Hand saw', 'Spirit level'],
    sizes: ['small', 'medium', 'large'],
    cents: [690, 4200],
  },
  {
    group: 'power-tools',
    prefix: 'PT',
    things: ['Cordless drill', 'Angle grinder', 'Jigsaw', 'Belt sander', 'Rotary hammer'],
    sizes: ['12 V', '18 V', '36 V'],
    cents: [5900, 18000],
  },
  {
    group: 'screws',
    prefix: 'SC',
    things: ['Wood screws', 'Machine screws', 'Drywall screws', 'Coach screws'],
    sizes: ['3 x 20, box of 500', '4 x 40, box of 250', '5 x 60, box of 100', '6 x 80, box of 50'],
    cents: [390, 1900],
  },
  {
    group: 'anchors',
    prefix: 'AN',
    things: ['Wall plugs', 'Wedge anchors', 'Sleeve anchors', 'Frame fixings'],
    sizes: ['M6', 'M8', 'M10', 'M12'],
    cents: [450, 2600],
  },
  {
    group: 'safety',
    prefix: 'SA',
    things: ['Safety glasses', 'Ear defenders', 'Work gloves', 'Helmet', 'Knee pads'],
    sizes: ['size S', 'size M', 'size L'],
    cents: [350, 5400],
  },
  {
    group: 'garden',
    prefix: 'GA',
    things: ['Spade', 'Rake', 'Loppers', 'Hose', 'Wheelbarrow'],
    sizes: ['standard', 'heavy duty'],
    cents: [1200, 9900],
  },
]

export interface ProductRange {
  group: string
  prefix: string
  things: Words
  sizes: Words
  /** Lowest and highest price, in cents. */
  cents: readonly [number, number]
}

export const REGIONS: Words = ['Coast', 'Hills', 'Lakes', 'Plains']

export const CREDIT_LIMITS: readonly [number, ...number[]] = [50000, 75000, 100000, 250000]

export const REMARKS: Words = [
  'Deliver to the back gate',
  'Call before delivery',
  'Partial delivery is fine',
  'Packed on pallets, please',
  'Same conditions as last time',
]
