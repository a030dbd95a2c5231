/** What practice documents say: a few true-sounding sections for each common kind, and a plain letter for any other. */

interface Section {
  heading: string
  paragraphs: string[]
}

export interface Wording {
  opening: string
  sections: Section[]
  declaration: string
  /** What the signer may add as a file; absent where nothing is asked for. */
  file?: string
}

interface Kind extends Wording {
  words: RegExp
}

const KINDS: Kind[] = [
  {
    words: /super/i,
    opening:
      'You can choose the fund into which your employer pays superannuation for you. Please tell us your choice below.',
    sections: [
      {
        heading: 'Before you choose',
        paragraphs: [
          'Compare what each fund charges, how it has done over ten years, and what insurance comes with it. Leaving a fund can end insurance that you have there.',
          'You may change your choice once in any twelve months. It takes effect for pay that is due two months after we have this form.'
        ]
      },
      {
        heading: 'If you do not choose',
        paragraphs: ['Your employer pays into its default fund, which is named in the details below.']
      }
    ],
    declaration: 'I make this choice myself. What I have filled in is true, and I understand when it takes effect.'
  },
  {
    words: /tax file|tfn/i,
    opening: 'Your employer withholds tax from your pay. How much depends on what you declare here.',
    sections: [
      {
        heading: 'What this is used for',
        paragraphs: [
          'The declaration goes to your employer and to the tax office, and to nobody else. You need not give a tax file number; without one, tax is withheld at the highest rate.',
          'Claim the tax-free threshold from one payer only.'
        ]
      },
      { heading: 'When something changes', paragraphs: ['Give your employer a new declaration within fourteen days.'] }
    ],
    declaration: 'I declare that what I have given is true and correct.'
  },
  {
    words: /\bacc\b|claims? history/i,
    opening: 'An employer has asked to see the history of your injury claims. It may do so only if you agree.',
    sections: [
      {
        heading: 'What will be sent',
        paragraphs: [
          'The dates of your claims, the kind of injury, and whether a claim is open. Medical notes are not sent.',
          'You may ask for a copy of what was sent, and withdraw your agreement as long as nothing was.'
        ]
      }
    ],
    declaration: 'I agree that the history named above is sent to the organisation named above.',
    file: 'Proof of identity'
  },
  {
    words: /moj|justice|criminal|conviction|vetting/i,
    opening: 'The organisation named below asks for your criminal record. It is sent only with your agreement.',
    sections: [
      {
        heading: 'What it shows',
        paragraphs: [
          'Convictions, where there are any. Those that the law lets you leave unsaid are left out, as are charges that ended without one.',
          'The record goes to the organisation and a copy to you. It is used for this purpose and then destroyed.'
        ]
      }
    ],
    declaration: 'I am the person named here, and I agree that my record is sent to the organisation above.'
  },
  {
    words: /tenan|lease|rent/i,
    opening: 'This agreement lets you live in the premises named below, on the terms that follow.',
    sections: [
      {
        heading: 'Rent and bond',
        paragraphs: [
          'Rent is paid two weeks in advance, by automatic payment. The bond is four weeks’ rent and is lodged within twenty-three working days.',
          'Rent may go up once in twelve months, with sixty days’ notice in writing.'
        ]
      },
      {
        heading: 'Looking after the place',
        paragraphs: [
          'Keep the premises reasonably clean, and say soon when something needs repair. The landlord keeps them warm, dry and safe, and gives forty-eight hours’ notice of an inspection.'
        ]
      },
      {
        heading: 'Ending it',
        paragraphs: ['Notice is given in writing: twenty-eight days by the tenant, ninety by the landlord.']
      }
    ],
    declaration: 'I have read this agreement, and I agree to it.'
  },
  {
    words: /employ/i,
    opening: 'We are glad that you are joining us. This agreement sets out what you and we can expect of each other.',
    sections: [
      {
        heading: 'Your work',
        paragraphs: [
          'Your position, hours and first day are below. Your manager will agree your tasks with you in your first week and again each year.'
        ]
      },
      {
        heading: 'Pay and leave',
        paragraphs: [
          'You are paid each second Wednesday into your account. You have four weeks of annual leave, and ten days of sick leave once you have worked for six months.'
        ]
      },
      { heading: 'Confidence', paragraphs: ['What you learn of clients stays here, also after you leave.'] }
    ],
    declaration: 'I have had time to take advice on this agreement. I have read it, and I accept it.'
  },
  {
    words: /attorney/i,
    opening: 'With this document you give another person the power to act for you, within the limits that you set.',
    sections: [
      {
        heading: 'What it means',
        paragraphs: [
          'Your attorney must act in your interest, keep records, and consult you as far as you can be consulted.',
          'You may change or end the power at any time while you are able to.'
        ]
      },
      {
        heading: 'Witness',
        paragraphs: ['Your signature is witnessed by somebody who does not act for your attorney.']
      }
    ],
    declaration: 'I understand what this document does, and I give the power freely.'
  },
  {
    words: /loan|debit|guarant/i,
    opening: 'These are the terms on which the payments named below are made.',
    sections: [
      {
        heading: 'Payments',
        paragraphs: [
          'Payments are taken on the day agreed, or on the next working day. You may pay more at any time without a charge.',
          'If a payment is missed, we will call you before anything else happens.'
        ]
      },
      { heading: 'Changing your mind', paragraphs: ['You may cancel within five working days after you have signed.'] }
    ],
    declaration: 'I have read these terms, and I agree to them.'
  },
  {
    words: /privacy|medical|records/i,
    opening: 'We would like to use information about you. This page says which, what for, and what you can decide.',
    sections: [
      {
        heading: 'What we use it for',
        paragraphs: ['To act for you in the matter named above, and for nothing else. It is kept for seven years.']
      },
      {
        heading: 'What you can ask',
        paragraphs: [
          'To see it, to correct it, and to stop its use. Write to us; we answer within twenty working days.'
        ]
      }
    ],
    declaration: 'I have read this page, and I agree that my information is used in this way.',
    file: 'Referral or earlier records'
  }
]

const PLAIN: Wording = {
  opening:
    'Thank you for asking us to act for you. Please read this letter, fill in what is asked for, and sign at the end.',
  sections: [
    {
      heading: 'What we will do',
      paragraphs: [
        'We act on your instructions, keep you informed, and tell you beforehand what it will cost. The person named above is responsible for your matter.',
        'We keep your papers safe and confidential. Where we hold money for you, it is kept in a trust account.'
      ]
    },
    {
      heading: 'What we need from you',
      paragraphs: [
        'Tell us soon when something changes: your address, your name, or anything else that bears on your matter.',
        'If you are unhappy with something, say so to the person named above first. We answer within five working days.'
      ]
    }
  ],
  declaration: 'I have read this document. What I have filled in is true, and I agree to it.'
}

/** The wording of a document, chosen by its name. */
export function wordingOf(name: string): Wording {
  return KINDS.find(({ words }) => words.test(name)) ?? PLAIN
}
