"""Word lists of the rules: data only, every entry a lower-case lemma unless said otherwise."""

from __future__ import annotations

# spaCy's labels -> our entity types. Labels that are absent (DATE, MONEY, NORP, ...) name no entity.
TYPE_OF_LABEL = {
    "PERSON": "Person", "ORG": "Organization", "GPE": "Location", "LOC": "Location", "FAC": "Location",
    "PRODUCT": "Product", "EVENT": "Event", "WORK_OF_ART": "Work", "LAW": "Work",
}  # fmt: skip

VALUE_LABELS = frozenset({"MONEY", "PERCENT", "QUANTITY", "CARDINAL"})

_TYPED_NOUNS = {
    "Organization": "group company steel bank university college institute corporation corp inc ltd plc llc "
    "gmbh ag association agency council ministry department party union club society league "
    "foundation airline airlines alliance federation confederation railway railways motors "
    "industries holdings partners works press orchestra committee commission academy school "
    "hospital laboratory laboratories energy systems labs consortium museum shipping mining "
    "foods",
    "Location": "plant factory mine mill port harbour harbor bridge river valley mountain island castle "
    "tower airport station stadium district province county lake sea bay street square quarry "
    "yard shipyard refinery depot warehouse dam canal forest park town city village kingdom",
    "Event": "war battle festival conference summit election olympics revolution strike congress games cup "
    "uprising",
    "Work": "treaty accord agreement act symphony constitution report charter",
    "Product": "engine phone car satellite rocket ship telescope reactor turbine locomotive ferry",
}
# The last word of a name -> its type; also the common nouns that may belong to a name ("Calder plant").
TYPE_OF_NOUN = {noun: kind for kind, nouns in _TYPED_NOUNS.items() for noun in nouns.split()}

# "<word> of <Name>" is one name.
OF_NAMES = frozenset(
    "university bank ministry treaty kingdom republic battle house isle church institute academy "
    "college department council order bay gulf port duke duchess count countess earl prince princess "
    "museum act board bureau".split()
)

TITLES = frozenset(
    "mr mrs ms miss dr prof professor sir dame lord lady president king queen captain judge".split()
)

PERSON_VERBS = frozenset(
    "live reside bear marry die resign study divorce retire teach write say graduate".split()
)
ORGANIZATION_VERBS = frozenset(
    "acquire merge employ headquarter announce manufacture found operate supply".split()
)

# Definite noun phrases that refer back: noun -> type of what is meant.
REFERRING_NOUNS = {
    **dict.fromkeys(
        "company firm group business corporation agency organisation organization bank club university party "
        "team"
        "manufacturer maker steelmaker carmaker insurer retailer charity".split(),
        "Organization",
    ),
    **dict.fromkeys("city town village country".split(), "Location"),
}

HEDGES = frozenset(
    "reportedly allegedly apparently probably possibly perhaps maybe supposedly rumoured rumored "
    "likely".split()
)
HEDGING_MODALS = frozenset({"may", "might", "could", "would", "should"})
REPORTING = frozenset(
    "say report announce claim state believe think tell add suggest confirm write note".split()
)
DENYING = frozenset({"deny", "doubt", "refute", "dispute", "reject"})
INTENTIONS = frozenset(
    "plan agree intend want hope try expect offer seek aim propose consider refuse decline fail "
    "threaten".split()
)
CEASING = frozenset({"stop", "cease", "quit"})

# Verbs of a state: "was X in 2015" speaks of 2015 only, while "bought X in 2015" lasts.
STATES = frozenset(
    "be live reside work own have know serve hold belong lead run employ study teach play chair head manage "
    "base locate".split()
)

APPOINTING = frozenset("appoint name elect make promote hire install choose nominate crown".split())
ROLE_TAKING = frozenset({"become"})
ROLE_HOLDING = frozenset({"serve", "work", "act", "remain", "continue"})
ROLE_LEAVING = frozenset({"resign", "step", "retire", "quit"})
REPLACING = frozenset({"replace", "succeed"})

# Nouns that only point at others ("none of", "one of"): neither a role nor a thing.
POINTING_NOUNS = frozenset("none one some many most kind sort lot pair number rest".split())

# Adjectives that belong to a role; other adjectives are left out of a predicate.
ROLE_ADJECTIVES = frozenset(
    "chief vice general prime managing executive deputy foreign founding joint senior non-executive "
    "financial scientific technical artistic".split()
)
PAST_ROLES = frozenset({"former", "ex", "erstwhile", "one-time", "onetime"})

RECIPROCAL_NOUNS = frozenset(
    "rival partner ally friend competitor sibling brother sister neighbour neighbor spouse colleague "
    "enemy cousin twin".split()
)
RECIPROCAL_VERBS = {
    "merge": "with", "meet": "with", "marry": "", "ally": "with", "compete": "with", "divorce": "",
    "collaborate": "with", "cooperate": "with", "work": "with", "fight": "",
}  # fmt: skip
MALE = frozenset("brother father son husband uncle nephew grandfather grandson".split())
FEMALE = frozenset("sister mother daughter wife aunt niece grandmother granddaughter".split())
# First names and titles (capitalised) that tell whom "he" and "she" can mean; other names fit both.
_MALE_NAMES = (
    "Albert Alexander Alfred Andrew Anthony Arthur Benjamin Charles Christopher Daniel David Edward Francis "
    "Frank Frederick George Henry Isaac Jack Jacob James John Joseph Karl Louis Mark Martin Matthew Michael "
    "Nicholas Oliver Otto Patrick Paul Peter Philip Richard Robert Samuel Simon Stephen Thomas Tomas Victor "
    "Walter William"
)
_FEMALE_NAMES = (
    "Ada Agnes Alice Anna Anne Barbara Beatrice Caroline Catherine Charlotte Clara Diana Dorothy Edith "
    "Eleanor Elizabeth Ellen Emily Emma Eva Florence Frances Grace Hannah Helen Isabella Jane Joan Julia "
    "Laura Louisa Lucy Margaret Maria Marie Martha Mary Mira Nora Olivia Rachel Rosa Ruth Sarah Sophia Susan "
    "Victoria"
)
GENDER_OF_FIRST_NAME = {
    **dict.fromkeys(_MALE_NAMES.split(), "m"),
    **dict.fromkeys(_FEMALE_NAMES.split(), "f"),
    **dict.fromkeys("Mr. Mr Sir Lord King".split(), "m"),
    **dict.fromkeys("Mrs. Mrs Ms. Ms Miss Lady Dame Queen".split(), "f"),
}

# A bond that two parties form and end, and the relation that holds meanwhile.
BONDS = {"alliance": "ally_of", "partnership": "partner_of", "rivalry": "rival_of", "marriage": "married_to",
         "friendship": "friend_of", "venture": "partner_of"}  # fmt: skip
BOND_FORMING = frozenset(
    "form sign make begin enter strike agree start establish forge create announce renew".split()
)
BOND_ENDING = frozenset("end leave break dissolve terminate abandon cancel quit".split())

# Dates that are facts of their own ("born, 1815"), not only the period of a fact.
DATED_FACTS = frozenset({"bear", "die", "found", "establish"})

# Different words for one state, used only to reach a form that the request's vocabulary lists.
SYNONYMS = (
    ("work_at", "work_for", "employed_by", "employed_at"),
    ("live_in", "reside_in", "resident_of"),
    ("chief_executive_of", "ceo_of", "chief_executive_officer_of"),
    ("based_in", "headquartered_in"),
    ("ally_of", "allied_with"),
    ("rival_of", "competitor_of", "compete_with"),
    ("partner_of", "partner_with"),
    ("married_to", "spouse_of", "husband_of", "wife_of", "marry"),
    ("owned_by", "belong_to"),
    ("part_of", "subsidiary_of"),
)

# Words of a question that say nothing of what it is about.
QUESTION_WORDS = frozenset(
    "who whom whose what which where when why how do does did is are was were be been being has have "
    "had the a an of in on at to for from by with and or not it its they their he she his her him "
    "them this that these those there any some many much as about into than then so if but you i we "
    "me my our your can could will would may might should shall please tell give".split()
)

# lemma -> past form, where it is not regular; participle only where it differs from the past.
PAST = {
    "be": "was", "become": "became", "begin": "began", "break": "broke", "build": "built", "buy": "bought",
    "choose": "chose", "come": "came", "fall": "fell", "find": "found", "get": "got", "give": "gave",
    "go": "went", "have": "had", "hold": "held", "keep": "kept", "know": "knew", "lead": "led",
    "leave": "left", "lose": "lost", "make": "made", "meet": "met", "pay": "paid", "run": "ran",
    "say": "said", "see": "saw", "sell": "sold", "send": "sent", "spend": "spent", "stand": "stood",
    "take": "took", "teach": "taught", "tell": "told", "think": "thought", "win": "won", "write": "wrote",
    "bear": "bore", "fight": "fought", "grow": "grew", "draw": "drew", "speak": "spoke",
}  # fmt: skip
PARTICIPLE = {
    "be": "been", "become": "become", "begin": "begun", "break": "broken", "choose": "chosen", "come": "come",
    "fall": "fallen", "give": "given", "go": "gone", "know": "known", "run": "run", "see": "seen",
    "take": "taken", "write": "written", "bear": "born", "grow": "grown", "draw": "drawn", "speak": "spoken",
}  # fmt: skip
