/** New practice offices: with people and documents to try everything with, with nothing, or with any number of documents. */

import { demoDocuments } from './seed-demo.ts'
import { manyDocuments } from './seed-many.ts'
import type { Clock, RandomBytes } from './sources.ts'
import type { PracticeState } from './state.ts'
import { practiceTemplates } from './templates.ts'

/** `demo`, `empty`, or how many documents. */
export type SeedName = 'demo' | 'empty' | number

/** A new office as of the clock's time. */
export function seed(name: SeedName, clock: Clock, random: RandomBytes): PracticeState {
  const state = emptyOffice()
  if (name === 'empty') return state
  if (name === 'demo') demoDocuments(state, clock.now(), random)
  else manyDocuments(state, name, clock.now(), random)
  return state
}

function emptyOffice(): PracticeState {
  const user = { FirstName: 'Robin', LastName: 'Hart', Email: 'robin.hart@office.example.com' }
  const reviewer = { FirstName: 'Ines', LastName: 'Moreau', Email: 'ines.moreau@office.example.com' }
  const clerk = { FirstName: 'Tevita', LastName: 'Latu', Email: 'tevita.latu@office.example.com' }
  return {
    version: 1,
    account: {
      name: 'Hart & Moreau Practice Office',
      address: '12 Example Quay, Wellington 6011',
      user,
      documentsLeft: null,
      defaultDueDays: 14,
      maxDueDays: 365,
      dateFormat: 'MM/dd/yyyy',
      gmt: 720
    },
    packages: {},
    documents: {},
    employers: employers(),
    recipients: [
      {
        NotificationRecipients: [
          { RecipientReference: 'rcp-robin', IsDefault: true, IsReviewer: false, IsDefaultReviewer: false, ...user },
          { RecipientReference: 'rcp-ines', IsDefault: false, IsReviewer: true, IsDefaultReviewer: true, ...reviewer },
          { RecipientReference: 'rcp-tevita', IsDefault: false, IsReviewer: true, IsDefaultReviewer: false, ...clerk }
        ],
        CompletionRecipients: [
          { RecipientReference: 'rcp-robin', IsDefault: true, ...user },
          { RecipientReference: 'rcp-tevita', IsDefault: false, ...clerk }
        ]
      }
    ],
    templates: practiceTemplates(),
    notary: []
  }
}

function employers(): PracticeState['employers'] {
  return {
    SuperFund: [
      {
        Reference: 'emp-harbour',
        Name: 'Harbour Joinery',
        IsDefault: true,
        ABN: '80 000 000 001',
        BusinessName: 'Harbour Joinery Pty Ltd',
        BusinessABN: '80 000 000 001',
        SuperFundName: 'Example Super',
        SuperFundABN: '61 000 000 002',
        USI: 'EXA0001AU',
        Phone: '02 5550 1234',
        SuperFundWebsite: 'https://super.example.com'
      }
    ],
    TFN: [
      {
        Reference: 'emp-harbour',
        Name: 'Harbour Joinery',
        IsDefault: true,
        ABN: '80 000 000 001',
        BusinessName: 'Harbour Joinery Pty Ltd',
        BusinessAddress: '4 Example Wharf',
        BusinessSuburb: 'Newcastle',
        BusinessState: 'NSW',
        BusinessPostcode: '2300',
        BusinessEmail: 'pay@harbour.example.com',
        ContactPerson: 'Dana Whitfield',
        ContactPhone: '02 5550 1234'
      }
    ],
    AccClaimsHistory: [
      {
        Reference: 'emp-ridge',
        Name: 'Ridge Logistics',
        IsDefault: true,
        OrganisationName: 'Ridge Logistics Limited',
        ContactPersonName: 'Marama Ellis',
        ContactPersonPhone: '04 555 0188',
        ContactPersonEmail: 'people@ridge.example.com'
      }
    ],
    MOJ: [
      {
        Reference: 'emp-ridge',
        Name: 'Ridge Logistics',
        IsDefault: true,
        ThirdPartyCustomerID: '10045',
        ThirdPartyName: 'Ridge Logistics Limited',
        ThirdPartyReference: 'RL-HR',
        ReportType: 'Standard',
        ServiceType: 'Pre-employment'
      }
    ],
    StandardMOJ: [
      {
        Reference: 'emp-ridge',
        Name: 'Ridge Logistics',
        IsDefault: true,
        ThirdPartyName: 'Ridge Logistics Limited',
        ThirdPartyActingFor: 'Ridge Logistics Limited',
        ThirdPartyReference: 'RL-HR',
        ThirdPartyReturnAddressName: 'Marama Ellis',
        ThirdPartyStreet: '90 Example Road',
        ThirdPartySuburb: 'Seaview',
        ThirdPartyTown: 'Lower Hutt',
        ThirdPartyState: 'Wellington',
        ThirdPartyPostCode: '5010',
        ThirdPartyCountry: 'New Zealand'
      }
    ]
  }
}
