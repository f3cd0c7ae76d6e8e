/** The separator between words of one phrase: a short text without the end of a sentence. */
const GAP = '[^.!?\\n]{0,40}?';
const THE =
  '(?:(?:all|any|every|each|of|the|these|those|this|that|my|our|your|its|and|other|from|you|were|was|given|have|been|received) ){0,5}';
const FORMER =
  '(?:previous|prior|above|preceding|earlier|former|foregoing|initial|original|existing|current|system|safety|last|aforementioned|past)';
const ORDERS =
  '(?:instructions?|prompts?|rules?|directions?|guidelines?|commands?|directives?|constraints?|programming|orders|training|messages?|polic(?:y|ies)|restrictions?|context)';
const SET_ASIDE =
  "(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overlook|neglect|overrid(?:e|ing)|set aside|throw (?:out|away)|discard|erase|do not (?:follow|obey)|don't (?:follow|obey)|stop (?:following|obeying))";
const UNBOUND =
  '(?:unrestricted|unfiltered|uncensored|unlimited|jailbroken|evil|amoral|unethical|lawless|unaligned|unbound|rogue)';
const GUARDS =
  '(?:safety|security|content|ethical|moderation|alignment)? ?(?:guardrails?|guidelines?|restrictions?|filters?|safeguards?|limitations?|protocols?|polic(?:y|ies)|constraints?|checks?|rules?|measures?|training|features?)';

/**
 * Phrases that try to override a model's instructions, as groups of patterns (wire.md 16.6). Case makes no difference.
 * Each pattern requires the words that address a model, so that a text about these phrases does not match.
 */
export const INJECTION_PATTERNS: readonly string[] = [
  // Setting instructions aside
  `${SET_ASIDE} ${THE}(?:${FORMER},? (?:and |or )?){1,3}(?:${FORMER} )?${ORDERS}`,
  `${SET_ASIDE} ${THE}(?:your|the system(?:'s)?|every|all(?: of)?(?: the)?) ${ORDERS}\\b(?! (?:manual|sheet|booklet))`,
  `${SET_ASIDE} (?:everything|anything|all|what(?:ever)?)(?: that)?(?: (?:was|is|has been|you (?:were|have been)))? (?:(?:said|told|written|instructed|stated|mentioned) )?(?:above|before|previously|so far|prior to this|up to (?:now|this point|here))`,
  `(?:here (?:are|is)|these are|follow|obey) (?:your|the|my)? ?new (?:system )?(?:instructions|orders|rules|directives)(?: (?:instead|only|from now on))?`,
  'your (?:new|real|actual|true) (?:task|goal|purpose|mission|objective|instructions?|orders?|role) (?:is|are)(?: now)?\\b',
  'new (?:system )?instructions?:',
  'begin(?:ning)? (?:of )?(?:new |updated |system |admin ){1,2}(?:instructions|prompt|message|override)',
  // Modes that do not exist
  '(?:enable|activate|enter|switch (?:in)?to|turn on|engage|unlock|go into|start) (?:the )?(?:developer|debug|god|admin|sudo|root|maintenance|jailbreak|unrestricted|dan|bypass|diagnostic) mode\\b(?! (?:on|in|for|of) (?:my|the|your|this|a|an|android|chrome|ios|windows|chromeos|roblox))',
  '(?:developer|god|dan|jailbreak|unrestricted|sudo) mode (?:is )?(?:now )?(?:enabled|activated|engaged|unlocked|on)[.,!:;]? (?:you|respond|answer|ignore|output|all|reply)',
  '(?:system|admin(?:istrator)?|security|emergency|root) override(?: (?:code|command|accepted|granted|authori[sz]ed|initiated|engaged|protocol)|[:!])',
  // Getting at the prompt
  `(?:reveal|show|print|repeat|output|display|tell me|give me|leak|dump|expose|recite|disclose|share|write out|send me|paste|spell out|summari[sz]e|translate|encode) (?:me |us |to me |out )?${GAP}(?:your|the|its) (?:(?:full|entire|exact|complete|whole|verbatim|own|current|very) ){0,3}(?:(?:system|hidden|secret|initial|original|internal|confidential|pre-?|base) ?(?:prompt|instructions?|message|directives?|rules|guidelines|configuration)|preprompt|metaprompt)`,
  'what (?:is|are|was|were|does|do)(?: in)? (?:your|the text of your) (?:(?:full|exact|entire|complete) )?(?:system|hidden|secret|initial|original|internal) (?:prompt|instructions?|message|directives?|rules)',
  '(?:repeat|print|output|copy|show|write|return|echo|recite) (?:back )?(?:to me )?(?:everything|all(?: of)?(?: the)?(?: text| words| content)?|the (?:words|text|content|sentences?|paragraphs?|lines?)|verbatim) (?:that (?:is|are|comes?|appears?) )?(?:above|before this|preceding this|in your (?:context|prompt))',
  // Another identity
  `you are (?:now |no longer )?(?:an? )?(?:completely |totally |fully )?${UNBOUND}`,
  'you are (?:now free|no longer (?:bound|restricted|limited|constrained|governed|subject|required|obliged|an? (?:ai|assistant|language model|chatbot)))',
  `(?:act|behave|respond|answer|reply|operate|speak|role-?play|pretend) (?:as|like|to be|that you are|you are) (?:if you (?:were|are) )?(?:an? )?(?:completely |totally |fully )?(?:${UNBOUND}|(?:ai|assistant|model|chatbot|bot) (?:with(?:out)?|that has) (?:no |any )?(?:rules|restrictions|limits|limitations|filters?|ethics|morals|guidelines))`,
  `(?:pretend|imagine|act as if|assume|suppose) (?:that )?(?:you(?: do not| don't)? have (?:no|any)|there are no|none of) ${GAP}(?:restrictions?|rules|guidelines|limitations?|filters?|content polic(?:y|ies)|ethics|safety)`,
  `from (?:now|this point|here) on(?:wards?)?,? (?:you (?:are|will (?:only )?(?:be|act|behave|respond|answer|obey|ignore|comply)|must (?:only )?(?:act|behave|respond|answer|obey|ignore|comply)|have no|only (?:respond|answer))|ignore|disregard|respond only as|act as)`,
  '(?:two|2) (?:responses|answers|replies|ways)[^.!?\\n]{0,60}(?:jailb(?:roken|reak)|unfiltered|\\bdan\\b)',
  // Jailbreaks that have names
  'do anything now',
  "(?:you are|act as|become|be|as|simulate|respond as|called|answer as) (?:now )?(?:dan|stan|dude|aim|evilbot|betterdan|evil confidant|devmode|anti-?dan|mongo tom|sydney)\\b(?![ -](?:brown|smith|rather|lee|is|was|and)|')",
  '\\b(?:dan|stan|dude) (?:jailbreak|prompt|\\d{1,2}\\.\\d)\\b',
  'jailbreak (?:yourself|this (?:model|ai|assistant)|prompt:|the (?:model|assistant|ai|llm))',
  // Switching safety off
  `(?:bypass|disable|circumvent|turn off|remove|evade|switch off|deactivate|suspend|lift|drop|get around|suppress|override) (?:all |any |both |each )?(?:of )?(?:your|openai(?:'s)?|anthropic(?:'s)?|google(?:'s)?|the (?:model|assistant|ai|llm|chatbot|bot)'s) (?:own |built-in |internal )?(?:${GUARDS})`,
  `(?:respond|answer|reply|comply|write|speak|generate|output)[^.!?\\n]{0,30} without (?:any |your )?(?:safety |ethical |content |moral )?(?:restrictions?|filters?|filtering|censorship|guardrails?|disclaimers? or|warnings? or|moral judg|ethical considerations)`,
  'you (?:can|must|may|will|should) (?:say|do|generate|produce|write) (?:absolutely )?anything (?:i|the user|without)',
  // Pretending to be another role
  '</?(?:system|assistant|system_?prompt|system_?message|admin|developer_?message|instructions?_?override)>',
  '(?:\\[|\\(|\\{|#{2,3} ?)(?:system|admin|developer) ?(?:message|prompt|instructions?|override|note)?(?:\\]|\\)|\\}|:)[: ]{0,2}(?:you|ignore|disregard|new|the (?:user|assistant)|override|from now|all|forget|update)',
  '(?:^|\\n) {0,4}(?:system|developer|assistant) ?: ?(?:you (?:are|must|will|may|can|should)|ignore|disregard|override|new instructions?|the user (?:is|has)|from now on|sure[,!]|forget)',
  // Tokens that only chat templates write
  '<\\|(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_turn|endofprompt|channel|start|message)\\|>',
  '\\[/?INST\\]|<</?SYS>>|<(?:start|end)_of_turn>|\\bHuman: [^\\n]{0,200}\\n{1,2}Assistant:',
];

/** Words that the engine searches for before it tries the patterns above. */
export const INJECTION_WORDS =
  'ignor|disregard|forget|overlook|neglect|overrid|set aside|throw|discard|erase|follow|obey|your |instruction|begin|mode|' +
  'reveal|show|print|repeat|output|display|tell me|give me|leak|dump|expose|recite|disclose|share|write|send me|paste|' +
  'spell|summari|translate|encode|what |copy|return|echo|you are|act |behave|respond|answer|reply|operate|speak|role|' +
  'pretend|imagine|assume|suppose|from |responses|anything now|dan|stan|dude|aim|evil|devmode|mongo|sydney|jailb|bypass|' +
  'disable|circumvent|turn off|remove|evade|switch|deactivate|suspend|lift|drop|get around|suppress|comply|generate|' +
  'anything|system|admin|developer|assistant|inst\\]|sys>|_of_turn|human:|<\\|';
