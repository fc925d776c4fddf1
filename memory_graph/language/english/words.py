"""English function words and irregular forms."""

STOP_WORDS = frozenset(
    # Function words, contractions without their apostrophe, and the words questions are made of.
    """
    a about above after again against all also am an and any are aren arent as at be because
    been before being below between both but by can cannot cant could couldn couldnt d did didn
    didnt do does doesn doesnt doing don dont down during each else etc ever few for from
    further had hadn hadnt has hasn hasnt have haven havent having he her here hers herself hes
    him himself his how however i id if ill im in into is isn isnt it its itself ive just let
    lets ll m ma may me might more most much must my myself need no nor not now of off on once
    only onto or other ought our ours ourselves out over own per quite rather re really s same
    shall shan she shes should shouldn shouldnt since so some such t than that thats the their
    theirs them themselves then there theres these they theyre theyve this those though through
    to too under until up upon us ve very was wasn wasnt we were weren werent weve what whats
    when where wheres whether which while who whom whos whose why will with within without won
    wont would wouldn wouldnt yes yet you youd youll your youre yours yourself yourselves youve
    """.split()
)


_FORMS = """
    begin began begun · bite bitten · blow blew blown · break broke broken · bring brought
    build built · buy bought · catch caught · child children · choose chose chosen · come came
    deal dealt · dig dug · draw drew drawn · dream dreamt · drink drank drunk
    drive drove driven · eat ate eaten · feed fed · feel felt · fight fought · find found
    fly flew flown · foot feet · forget forgot forgotten · freeze froze frozen · get got gotten
    give gave given · go went gone · grow grew grown · hang hung · hear heard · hide hid hidden
    hold held · keep kept · knife knives · know knew known · lay laid · lead led
    learn learnt · lend lent · light lit · lose lost · make made · man men
    mean meant · meet met · mouse mice · pay paid · person people · ride rode ridden
    ring rang rung · rise risen · run ran · say said · see saw seen · sell sold · send sent
    shake shook shaken · shelf shelves · shine shone · show shown · sing sang sung
    sink sank sunk · sit sat · sleep slept · speak spoke spoken · spend spent · stand stood
    steal stole stolen · stick stuck · strike struck · swear swore sworn · swim swam swum
    take took taken · teach taught · tear torn · tell told · think thought · throw threw thrown
    tooth teeth · understand understood · wake woke woken · wear wore worn · wife wives
    win won · woman women · write wrote written
"""


_LINES = (line for row in _FORMS.splitlines() for line in row.split("·") if line.strip())


BASE_FORMS = {form: base for base, *forms in map(str.split, _LINES) for form in forms}
"""The base of each irregular form, but for forms that are words of their own (`lives`, `left`)."""
